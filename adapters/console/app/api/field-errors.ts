import { AlcoveApiError } from './api.js'
import { sentence } from './error-texts.js'

/**
 * The sentence of the server about one field: its answer 400 begins with the name of the field.
 *
 * @param fields the fields that the form shows. An error of a part, such as `tools[0].id`, belongs to the nearest one
 * @returns undefined if the error is another one, or names no field of the form
 */
export function fieldErrorOf(
  error: unknown,
  fields: readonly string[],
): { readonly field: string; readonly text: string } | undefined {
  if (!(error instanceof AlcoveApiError) || error.status !== 400) return undefined
  const [, path, text] = /^(?:settings\.)?([\w.[\]]+): (.+)$/s.exec(error.message) ?? []
  if (path === undefined || text === undefined) return undefined
  const field = fields
    .filter((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`))
    .sort((one, other) => other.length - one.length)[0]
  return field === undefined ? undefined : { field, text: sentence(text) }
}

import { AlcoveApiError } from './api.js'
import { FIELD_SENTENCES } from './field-sentences.js'
import { useServerSentence } from './server-sentences.js'

/** The problem of one field of a form. */
export interface FieldError {
  readonly field: string
  readonly text: string
}

/**
 * A function that finds the field of a form which an error is about: the answer 400 of the server begins with its name.
 * An error of a part, such as `tools[0].id`, belongs to the nearest field that the form shows. Undefined for an error
 * that is about none of them.
 */
export function useFieldError(): (error: unknown, fields: readonly string[]) => FieldError | undefined {
  const say = useServerSentence(FIELD_SENTENCES)
  return (error, fields) => {
    if (!(error instanceof AlcoveApiError) || error.status !== 400) return undefined
    const [, path, text] = /^(?:settings\.)?([\w.[\]]+): (.+)$/s.exec(error.message) ?? []
    if (path === undefined || text === undefined) return undefined
    const field = fields
      .filter((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`))
      .sort((one, other) => other.length - one.length)[0]
    return field === undefined ? undefined : { field, text: say(text).text }
  }
}

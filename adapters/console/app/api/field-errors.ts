import { AlcoveApiError } from './api.js'
import { useReason } from './use-reason.js'

/** The problem of one field of a form. */
export interface FieldError {
  readonly field: string
  readonly text: string
}

/**
 * A function that finds the field of a form which an error is about. An error of a part, such as `tools[0].id`, belongs
 * to the nearest field that the form shows. Undefined for an error that is about none of them.
 */
export function useFieldError(): (error: unknown, fields: readonly string[]) => FieldError | undefined {
  const say = useReason()
  return (error, fields) => {
    if (!(error instanceof AlcoveApiError)) return undefined
    const path = fieldOf(error)
    if (path === undefined) return undefined
    const field = fields
      .filter((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`))
      .sort((one, other) => other.length - one.length)[0]
    return field === undefined ? undefined : { field, text: say(error.reason, withoutField(error)).text }
  }
}

/** The message of an error without the name of the field at its beginning. */
function withoutField({ message, field }: AlcoveApiError): string {
  return field !== undefined && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
}

function fieldOf({ reason, field }: AlcoveApiError): string | undefined {
  return reason?.code === 'unknown-model' ? 'embeddingModel' : field?.replace(/^settings\./, '')
}

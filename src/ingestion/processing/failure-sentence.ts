import { AlcoveError, VectorInvalidError } from '../../shared/errors.js'

/** One sentence that ends in its code, for the document's record; an unforeseen error tells nothing of the engine's inside. */
export function failureSentence(error: unknown): string {
  if (!(error instanceof AlcoveError))
    return 'The document could not be processed because of an internal error (ERR_INTERNAL)'
  if (error instanceof VectorInvalidError)
    return `The embedding model gave vectors that cannot be used: check the model (${error.code})`
  return `${error.message.replace(/\.$/, '')} (${error.code})`
}

import { ExtractionError } from '../../src/ports/index.js'

/**
 * The error for a file that can be read under another name.
 * @param extension '' if the caller of the upload, and not the name, says that the file is a text
 */
export function wrongType(name: string, extension: string, readAs: string): ExtractionError {
  return new ExtractionError(
    'ERR_WRONG_TYPE',
    `The content is ${name}, but the ${saidBy(extension)}: rename the file to ${readAs}`,
  )
}

/** The part of a sentence that tells where a wrong format comes from. */
export function saidBy(extension: string): string {
  return extension === '' ? 'upload says that it is plain text' : `name ends with ${extension}`
}

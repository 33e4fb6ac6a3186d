import { ExtractionError } from '../../../../src/ports/index.js'

/** The host keeps the bytes of as many pictures as are read at the same time, and of one more. */
const MAX_PICTURE_MB = 64
const MAX_PICTURE_BYTES = MAX_PICTURE_MB * 1_048_576

/** True if a picture has too many bytes for a recogniser. */
export function isPictureTooLarge(sizeBytes: number): boolean {
  return !(sizeBytes >= 0 && sizeBytes <= MAX_PICTURE_BYTES)
}

export function pictureTooLarge(): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `A picture whose text is recognised may have at most ${MAX_PICTURE_MB} MB: compress it, or split its pages into several files`,
  )
}

/** The text in a picture. */
export interface RecognizedText {
  /**
   * The lines in reading order, with an empty line between paragraphs. Well-formed text without U+0000. Empty for a
   * picture without text.
   */
  readonly text: string
  /** The certainty of the text on average, from 0 to 1. 0 for a picture without text. */
  readonly confidence: number
}

/**
 * Reads the text in pictures of pages (OCR). A text extractor uses it for scans and photos.
 *
 * # Behaviour
 * - A picture is a whole file: a .png, .jpg, .tiff or .webp. The recogniser reads the first picture of a .tiff.
 * - It turns a page upright if it can.
 * - A hostile picture costs time and memory only within the recogniser's own limits. It ends with an `ExtractionError`
 *   and never harms the process.
 * - Deterministic: the same bytes give the same text.
 * - Concurrent calls are allowed. Calls beyond {@link concurrency} wait for their turn.
 * - After {@link close}, {@link recognize} throws a `ClosedError` (`ERR_CLOSED`).
 */
export interface TextRecognizer {
  /** Name and languages for people, such as `tesseract eng+deu`. */
  readonly id: string

  /** The number of pictures that it reads at the same time. An extractor has as many pages under way. Default: 1. */
  readonly concurrency?: number

  /**
   * Reads the text in a picture.
   *
   * @param options.signal aborts the call at once, which then throws the signal's reason. Default: no signal
   * @throws ExtractionError
   *   - `ERR_CORRUPT_FILE` if the bytes are no picture, or a damaged one
   *   - `ERR_EXTRACTION_LIMIT` if the picture needs too much memory
   *   - `ERR_EXTRACTION_TIMEOUT` if it takes too long
   */
  recognize(picture: Uint8Array, options?: { readonly signal?: AbortSignal }): Promise<RecognizedText>

  /** Aborts calls in progress. A second call does nothing. */
  close(): Promise<void>
}

/** A file as the extractor sees it. */
export interface ExtractionSource {
  /** The name it was uploaded under; its ending names the format. */
  readonly fileName: string
  readonly sizeBytes: number
  /** The bytes, from the beginning; may be called more than once. */
  open(): AsyncIterable<Uint8Array>
}

/** A part of a file's text. The text is the pieces put together as they come. */
export interface ExtractedPiece {
  /** Well-formed, without U+0000; at most some hundred thousand characters. */
  readonly text: string
  /** Pages finished so far, where the format has pages. */
  readonly pages?: number
  /** What a reader should know about this part, a sentence each. */
  readonly warnings?: readonly string[]
}

/** A format that the extractor reads. */
export interface TextFormat {
  /** With the dot, lower case: `.pdf`. */
  readonly extension: string
  /** MIME type, as document records show it. */
  readonly contentType: string
}

/**
 * Turns files into text.
 *
 * # Behaviour
 * - Text is what a reader of the file would read, in reading order; plain text
 *   is given as it stands, byte-order mark apart.
 * - Pieces arrive as they are found and no faster than they are taken; memory
 *   does not grow with a text file's size.
 * - A hostile file costs time and memory within the extractor's own limits and
 *   ends with an `ExtractionError`; it never harms the process.
 * - Deterministic: the same bytes under the same name give the same text.
 */
export interface TextExtractor {
  readonly formats: readonly TextFormat[]

  /**
   * Tells a file's format by its name and its first bytes.
   *
   * @param head the first bytes, up to 4,096; all of a shorter file
   * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT` for a name that ends in none of
   *   {@link formats}, or bytes of another format that is not read;
   *   `ERR_WRONG_TYPE` for bytes of one of {@link formats}, but not of the one that the name says;
   *   `ERR_EMPTY_FILE` where there are no bytes.
   */
  identify(fileName: string, head: Uint8Array): Promise<TextFormat>

  /**
   * The file's text, piece by piece.
   *
   * - Stops and frees what it holds when the consumer stops, or the signal is aborted
   *   (then it throws the signal's reason).
   *
   * @throws ExtractionError with the code that says why. No text at all is `ERR_NO_TEXT`.
   */
  extract(source: ExtractionSource, options?: { readonly signal?: AbortSignal }): AsyncIterable<ExtractedPiece>

  /** Ends what is under way. A second call does nothing. */
  close(): Promise<void>
}

import type { ErrorReason } from '../kernel/errors.js'

/** A file for the extractor. */
export interface ExtractionSource {
  /** The file name at upload. Its extension names the format. */
  readonly fileName: string
  readonly sizeBytes: number
  /**
   * The MIME type that {@link TextExtractor.identify} returned. `text/plain` makes a file a text if its name has no known
   * extension. Default: none.
   */
  readonly contentType?: string
  /** Reads the bytes from the beginning. The extractor may call it more than once. */
  open(): AsyncIterable<Uint8Array>
}

/** A place in a piece's text at which a page or a section begins. */
export type StructureMark = PageMark | HeadingMark

/** The beginning of a page of a PDF, of a sheet or of a slide. */
export interface PageMark {
  /** UTF-16 offset in the piece's text; the piece's length for a page that begins after it. */
  readonly at: number
  /** Number of the page, from 1. */
  readonly page: number
}

/** The beginning of a section. Its heading is a part of the file's text, or a name such as that of a sheet or the file. */
export interface HeadingMark {
  /** UTF-16 offset in the piece's text. */
  readonly at: number
  /**
   * The heading in one line, without markup; at most 200 characters. The names of a table's columns are a heading of its
   * rows. Empty where the sections of the level and those below end, and no heading begins.
   */
  readonly heading: string
  /** 1 for the outermost headings of the text, up to 9; 0 for the title of the whole file in its metadata. */
  readonly level: number
}

/** A part of a file's text. The whole text is all pieces in their order, without separators. */
export interface ExtractedPiece {
  /** Well-formed text without U+0000, at most some hundred thousand characters. */
  readonly text: string
  /** Number of pages finished so far. Only for formats with pages. */
  readonly pages?: number
  /** Number of pages so far whose text was recognised in pictures. Default: as in the piece before, or 0. */
  readonly recognised?: number
  /** Pages and sections that begin in this piece, ordered by `at`. Default: none. */
  readonly marks?: readonly StructureMark[]
  /** Parts that could not be read: one sentence each, such as "page 3 has no text". Default: none. */
  readonly warnings?: readonly string[]
  /** {@link warnings} for programs, in the same order; null for a warning that has only its sentence. Default: all null. */
  readonly warningReasons?: readonly (ErrorReason | null)[]
  /**
   * The language of the whole file's text as an ISO 639-1 code, such as `fi`, if it is sure; in the last piece, which may
   * have no text. Code, tables and texts in several languages have none. Default: not known.
   */
  readonly language?: string
}

/** A format that the extractor reads. */
export interface TextFormat {
  /** Lower case, with the dot: `.pdf`; '' for a text that is one only because the upload says so. */
  readonly extension: string
  /** MIME type for document records. */
  readonly contentType: string
  /** True for source code, which is cut at its definitions and never inside a line if it can be. Default: false. */
  readonly isCode?: boolean
}

/**
 * Turns files into text.
 *
 * # Behaviour
 * - The text is what a human reader of the file reads, in reading order. Plain text stays unchanged, except for its
 *   byte-order mark.
 * - The extractor yields pieces while it reads, and no faster than the consumer takes them. Memory does not grow with
 *   the size of a text file.
 * - A hostile file costs time and memory only within the extractor's own limits. It ends with an `ExtractionError` and
 *   never harms the process.
 * - Deterministic: the same bytes under the same name give the same text with the same marks.
 * - Marks name the headings of Markdown. For other formats they name what the extractor can find: pages ascend, and a
 *   hostile file costs no more marks than its text has room for.
 * - Concurrent calls are allowed.
 * - After {@link close}, {@link extract} throws a `ClosedError` (`ERR_CLOSED`).
 */
export interface TextExtractor {
  /** The formats that this extractor reads. */
  readonly formats: readonly TextFormat[]

  /**
   * Detects a file's format by its name and its first bytes.
   *
   * @param head the first 4,096 bytes; all bytes of a shorter file
   * @param contentType the type that the caller of the upload says: with `text/plain`, a name without a known extension
   *   is that of a text
   * @throws ExtractionError
   *   - `ERR_UNSUPPORTED_FORMAT` if {@link formats} has no format with the name's extension, or if the bytes are of a
   *     format that the extractor does not read
   *   - `ERR_WRONG_TYPE` if the bytes are of another one of {@link formats} than the name says
   *   - `ERR_EMPTY_FILE` if there are no bytes
   */
  identify(fileName: string, head: Uint8Array, contentType?: string): Promise<TextFormat>

  /**
   * Extracts the file's text, piece by piece. If the consumer stops early, the extractor stops and frees its resources.
   *
   * @param options.signal aborts the extraction, which then throws the signal's reason. Default: no signal
   * @throws ExtractionError with a code for the reason; `ERR_NO_TEXT` if the file has no text at all
   */
  extract(source: ExtractionSource, options?: { readonly signal?: AbortSignal }): AsyncIterable<ExtractedPiece>

  /** Aborts extractions in progress. A second call does nothing. */
  close(): Promise<void>
}

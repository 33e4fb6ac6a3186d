/** What reading one file may cost. */
export interface ExtractionLimits {
  /** Heap of the thread that reads, in megabytes; default 512. */
  readonly maxHeapMb: number
  /** Memory of the process that reads, buffers included, in megabytes; default 1,024. */
  readonly maxMemoryMb: number
  /** Longest wait for one piece of text; default 120,000. */
  readonly pieceTimeoutMs: number
  /** Longest wait for all pieces of a file together; default 900,000. */
  readonly fileTimeoutMs: number
  /** Largest .pdf, .docx or .doc in megabytes: they are not read from front to back; default 256. */
  readonly maxWholeFileMb: number
  /** Most characters of text from a file; default 268,435,456. A table or a plain text may have 16 for each of its bytes. */
  readonly maxTextCharacters: number
}

export const DEFAULT_LIMITS: ExtractionLimits = {
  maxHeapMb: 512,
  maxMemoryMb: 1_024,
  pieceTimeoutMs: 120_000,
  fileTimeoutMs: 900_000,
  maxWholeFileMb: 256,
  maxTextCharacters: 256 * 1_048_576,
}

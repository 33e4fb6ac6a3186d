import { totalmem } from 'node:os'

const MB = 1_048_576
/** As many as the engine reads by default. */
const READERS = 4
/** All readers together may have this part of the memory: the rest is for the host, its model and its index. */
const SHARE_OF_READERS = 0.5
const MOST_MEMORY_MB = 1_024
/** With less, documents of every day cannot be read. */
const LEAST_MEMORY_MB = 256

/** What reading one file may cost. */
export interface ExtractionLimits {
  /** Heap of the thread that reads, in megabytes; default half of `maxMemoryMb`, at most 512. */
  readonly maxHeapMb: number
  /**
   * Memory of the process that reads, buffers included, in megabytes. Default: half of the memory that machine or
   * container has, divided by `readersAtOnce`; at most 1,024, at least 256. With four readers that is 1,024 from 8 GB
   * on, 512 with 4 GB, 256 with 2 GB and less.
   */
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

/** What holds where nothing else is said, on a machine with memory enough. */
export const DEFAULT_LIMITS: ExtractionLimits = {
  maxHeapMb: MOST_MEMORY_MB / 2,
  maxMemoryMb: MOST_MEMORY_MB,
  pieceTimeoutMs: 120_000,
  fileTimeoutMs: 900_000,
  maxWholeFileMb: 256,
  maxTextCharacters: 256 * MB,
}

/**
 * The limits of each process.
 * @param given override the defaults
 * @param readers how many work at a time
 */
export function limitsOf(
  given: Partial<ExtractionLimits> = {},
  readers: number = READERS,
  memoryBytes: number = availableBytes(),
): ExtractionLimits {
  const share = Math.floor((memoryBytes * SHARE_OF_READERS) / readers / MB)
  const { maxMemoryMb = Math.min(MOST_MEMORY_MB, Math.max(LEAST_MEMORY_MB, share)) } = given
  const maxHeapMb = Math.min(DEFAULT_LIMITS.maxHeapMb, Math.floor(maxMemoryMb / 2))
  return { ...DEFAULT_LIMITS, maxHeapMb, ...given, maxMemoryMb }
}

/** Without a container's limit, what is told is 0, or more than there is. */
function availableBytes(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}

import { totalmem } from 'node:os'

const MB = 1_048_576
/** The number of files that the engine reads at the same time by default. */
const READERS = 4
/** All readers together may use this share of the memory. The rest is for the host, its model and its index. */
const SHARE_OF_READERS = 0.5
const MAX_MEMORY_MB = 1_024
/** With less memory, ordinary documents cannot be read. */
const MIN_MEMORY_MB = 256

/** The limits for reading one file. */
export interface ExtractionLimits {
  /** The heap of the reading thread, in megabytes. Default: half of `maxMemoryMb`, at most 512. */
  readonly maxHeapMb: number
  /**
   * The memory of the reading process with its buffers, in megabytes. Default: half of the memory of the machine or
   * container, divided by `readersAtOnce`; at least 256, at most 1,024. With four readers that is 1,024 from 8 GB on,
   * 512 with 4 GB, and 256 with 2 GB or less.
   */
  readonly maxMemoryMb: number
  /** The longest wait for one piece of text. Default: 120,000. */
  readonly pieceTimeoutMs: number
  /**
   * The longest wait for all pieces of a large file together. A small file has less time: a minute, and half a minute
   * more for each megabyte above the first. Default: 900,000.
   */
  readonly fileTimeoutMs: number
  /**
   * The longest time for the text in all pictures of a file together, without waits for a place. A file with few pictures
   * has less time: five minutes, and half a minute for each picture that was begun. Default: 14,400,000.
   */
  readonly recognitionTimeoutMs: number
  /** The longest wait for the text in one picture. A recogniser has a shorter limit of its own. Default: 900,000. */
  readonly pictureTimeoutMs: number
  /** The largest document but a text, .html, .rtf or JSON, in megabytes. It needs the whole file in memory. Default: 256. */
  readonly maxWholeFileMb: number
  /** The most characters of text from a file. Default: 268,435,456. A table or a text may have 16 for each byte. */
  readonly maxTextCharacters: number
}

/** The defaults for a machine with enough memory. */
export const DEFAULT_LIMITS: ExtractionLimits = {
  maxHeapMb: MAX_MEMORY_MB / 2,
  maxMemoryMb: MAX_MEMORY_MB,
  pieceTimeoutMs: 120_000,
  fileTimeoutMs: 900_000,
  recognitionTimeoutMs: 14_400_000,
  pictureTimeoutMs: 900_000,
  maxWholeFileMb: 256,
  maxTextCharacters: 256 * MB,
}

/**
 * The limits of each process.
 * @param overrides replace the defaults
 * @param readers the number of processes that read at the same time
 */
export function limitsOf(
  overrides: Partial<ExtractionLimits> = {},
  readers: number = READERS,
  memoryBytes: number = availableBytes(),
): ExtractionLimits {
  const share = Math.floor((memoryBytes * SHARE_OF_READERS) / readers / MB)
  const { maxMemoryMb = Math.min(MAX_MEMORY_MB, Math.max(MIN_MEMORY_MB, share)) } = overrides
  const maxHeapMb = Math.min(DEFAULT_LIMITS.maxHeapMb, Math.floor(maxMemoryMb / 2))
  return { ...DEFAULT_LIMITS, maxHeapMb, ...overrides, maxMemoryMb }
}

/** The time in which any file is read, and the time for each further megabyte. */
const [LEAST_FILE_MS, MS_PER_MB] = [60_000, 30_000]

/** The longest wait for all pieces of a file: a small file that is slow is hostile, and others wait for its place. */
export function fileTimeoutOf({ fileTimeoutMs }: Pick<ExtractionLimits, 'fileTimeoutMs'>, sizeBytes: number): number {
  return Math.min(fileTimeoutMs, LEAST_FILE_MS + Math.max(0, sizeBytes / MB - 1) * MS_PER_MB)
}

/** The time for the text in the pictures of any file, and the time for each picture. */
const [LEAST_RECOGNITION_MS, MS_PER_PICTURE] = [300_000, 30_000]

/** The longest time for the text in so many pictures of a file together: others wait for its places. */
export function recognitionTimeoutOf(
  { recognitionTimeoutMs }: Pick<ExtractionLimits, 'recognitionTimeoutMs'>,
  pictures: number,
): number {
  return Math.min(recognitionTimeoutMs, LEAST_RECOGNITION_MS + pictures * MS_PER_PICTURE)
}

/** Without a limit of a container, `constrainedMemory` is 0 or more than the machine has. */
function availableBytes(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}

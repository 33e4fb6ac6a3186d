import { availableParallelism, totalmem } from 'node:os'
import { z } from 'zod'
import { closedObjectSchema, integerSchema, textSchema, validate } from '../../src/ports/index.js'

/** Options of `TesseractRecognizer`. */
export interface TesseractRecognizerOptions {
  /**
   * The languages of the pages as codes of Tesseract, joined by `+`, such as `eng+deu`. The most frequent one comes first.
   * Each is a package `@tesseract.js-data/<code>`.
   */
  readonly languages: string
  /** The folder for the data of several languages, which the recogniser makes and removes. Default: the system's. */
  readonly tempDir?: string | undefined
  /** Pictures that are read at the same time, each in a process. Default: the processors but one, at most 4, with 2 GB of memory for each. */
  readonly concurrency?: number | undefined
  /** The memory of a process, in megabytes. Default: 1,024. */
  readonly maxMemoryMb?: number | undefined
  /** The longest time for a picture, in milliseconds, at most 600,000. Default: 60,000. */
  readonly pictureTimeoutMs?: number | undefined
  /** An idle process ends after this time, and its memory is free. Default: 30,000. */
  readonly maxIdleMs?: number | undefined
}

/** The options with their defaults. */
export interface CheckedOptions {
  readonly languages: readonly string[]
  readonly tempDir: string | undefined
  readonly concurrency: number
  readonly maxMemoryMb: number
  readonly pictureTimeoutMs: number
  readonly maxIdleMs: number
}

const CODES = /^[a-z]{3,12}(?:_[a-z]{2,8}){0,2}(?:\+[a-z]{3,12}(?:_[a-z]{2,8}){0,2}){0,9}$/i
const NOT_CODES = 'must be codes of languages joined by +, such as eng or eng+deu'
const MAX_MS = 3_600_000
/** A text extractor waits a quarter of an hour for a picture. */
const MAX_PICTURE_MS = 600_000
const SCHEMA = closedObjectSchema({
  languages: z.string({ error: NOT_CODES }).regex(CODES, { error: NOT_CODES }),
  tempDir: textSchema({ min: 1, max: 4_096 }).optional(),
  concurrency: integerSchema({ min: 1, max: 64 }).optional(),
  maxMemoryMb: integerSchema({ min: 256, max: 65_536 }).optional(),
  pictureTimeoutMs: integerSchema({ min: 1, max: MAX_PICTURE_MS }).optional(),
  maxIdleMs: integerSchema({ min: 0, max: MAX_MS }).optional(),
})

const GB = 1_073_741_824
const MAX_CONCURRENCY = 4
/** One place is used only where the machine has this much memory for it. The rest is for the host and its readers. */
const BYTES_OF_PLACE = 2 * GB

/** @throws InvalidInputError about an option */
export function checkOptions(options: TesseractRecognizerOptions): CheckedOptions {
  const { languages, tempDir, concurrency, maxMemoryMb, pictureTimeoutMs, maxIdleMs } = validate(SCHEMA, options)
  return {
    languages: [...new Set(languages.split('+'))],
    tempDir,
    concurrency: concurrency ?? defaultConcurrency(),
    maxMemoryMb: maxMemoryMb ?? 1_024,
    pictureTimeoutMs: pictureTimeoutMs ?? 60_000,
    maxIdleMs: maxIdleMs ?? 30_000,
  }
}

/** One processor stays free for the host. Without a limit of a container, `constrainedMemory` is 0 or very large. */
function defaultConcurrency(): number {
  const bytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  return Math.max(1, Math.min(MAX_CONCURRENCY, availableParallelism() - 1, Math.floor(bytes / BYTES_OF_PLACE)))
}

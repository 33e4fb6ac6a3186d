import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Reading } from './references/scores.js'

const PROGRAM = join(import.meta.dirname, 'plain-reading.mjs')
const TIMEOUT_MS = 60_000
const MAX_BYTES = 512 * 1024 * 1024

/** No library: Node reads it. */
export const UTF_8 = 'utf-8'

/** The libraries that a program would take for files of a type. */
export const PLAIN_LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  pdf: ['unpdf'],
  docx: ['mammoth'],
  doc: ['word-extractor'],
  txt: ['jschardet', 'chardet'],
  csv: ['csv-parse'],
  md: [UTF_8],
}

export interface PlainReading {
  readonly library: string
  /** `undefined` where the library throws, ends its process, or takes a minute. */
  readonly reading: Reading | undefined
  readonly peakMb: number | undefined
  /** Of the library's own work: without the start of the process, and without the import. */
  readonly ms: number | undefined
}

/** What the plain use of a library gives for a file, in a process of its own. */
export function readPlainly(library: string, path: string): PlainReading {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, library, path], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    // What libraries say of broken files is not of interest.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (status !== 0) return { library, reading: undefined, peakMb: undefined, ms: undefined }
  // Some libraries print on the standard output, before the line that counts.
  const json = stdout.slice(stdout.lastIndexOf('{"text":'))
  const { peakMb, ms, ...reading } = JSON.parse(json) as Reading & { readonly peakMb: number; readonly ms: number }
  return { library, reading, peakMb, ms }
}

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Reading } from '../references/scores.js'

const PROGRAM = join(import.meta.dirname, 'plain-reading.mjs')
const TIMEOUT_MS = 60_000
const MAX_BYTES = 512 * 1024 * 1024

/** Not a library: Node decodes the bytes. */
export const UTF_8 = 'utf-8'

/** The libraries that a program would commonly use for each file type. */
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
  /** `undefined` if the library throws, ends its process, or takes a minute. */
  readonly reading: Reading | undefined
  readonly peakMb: number | undefined
  /** The library's own time, without the start of the process and without the import. */
  readonly ms: number | undefined
}

/** Reads a file with a library in a plain way, in a process of its own. */
export function readPlainly(library: string, path: string): PlainReading {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, library, path], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    // Messages of libraries about broken files are ignored.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (status !== 0) return { library, reading: undefined, peakMb: undefined, ms: undefined }
  // Some libraries print to the standard output before the result line.
  const json = stdout.slice(stdout.lastIndexOf('{"text":'))
  const { peakMb, ms, ...reading } = JSON.parse(json) as Reading & { readonly peakMb: number; readonly ms: number }
  return { library, reading, peakMb, ms }
}

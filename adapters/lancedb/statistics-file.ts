import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TermCounts } from './term-counts.js'
import { hashOf } from './term-hash.js'
import { TermStatistics } from './term-statistics.js'

/** Ends the name of the file with the statistics of a table. */
export const STATISTICS_SUFFIX = '.terms.bin'

const MAGIC = 0x414c_5431
/** Magic and check sum, 4 bytes each; then chunks, their length, what was left out, and the step of the sample, 8 bytes each. */
const HEADER_BYTES = 40

/** The statistics beside a table; `undefined` where there are none that can be read. */
export async function readStatistics(folder: string | undefined, table: string): Promise<TermStatistics | undefined> {
  if (folder === undefined) return undefined
  const file = await readFile(pathOf(folder, table)).catch(() => undefined)
  return file && decode(new Uint8Array(file))
}

export async function writeStatistics(
  folder: string | undefined,
  table: string,
  statistics: TermStatistics,
): Promise<void> {
  if (folder === undefined) return
  const path = pathOf(folder, table)
  const own = `${path}.${randomUUID()}`
  try {
    await writeFile(own, encode(statistics), { mode: 0o600 })
    await rename(own, path)
  } catch (error) {
    await rm(own, { force: true })
    throw error
  }
}

function pathOf(folder: string, table: string): string {
  return join(folder, `${table}${STATISTICS_SUFFIX}`)
}

function encode({ counts, chunks, length, leftOut, sampledBy }: TermStatistics): Uint8Array {
  const pairs = counts.toArray()
  const file = new Uint8Array(HEADER_BYTES + pairs.byteLength)
  const view = new DataView(file.buffer)
  view.setUint32(0, MAGIC, true)
  for (const [at, value] of [chunks, length, leftOut, sampledBy].entries()) view.setFloat64(8 + at * 8, value, true)
  file.set(new Uint8Array(pairs.buffer), HEADER_BYTES)
  view.setUint32(4, hashOf(file.subarray(8)), true)
  return file
}

function decode(file: Uint8Array): TermStatistics | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const isWhole =
    file.length >= HEADER_BYTES && (file.length - HEADER_BYTES) % 8 === 0 && view.getUint32(0, true) === MAGIC
  if (!isWhole || view.getUint32(4, true) !== hashOf(file.subarray(8))) return undefined
  const [chunks = 0, length = 0, leftOut = 0, sampledBy = 1] = [8, 16, 24, 32].map((at) => view.getFloat64(at, true))
  const pairs = new Uint32Array(file.slice(HEADER_BYTES).buffer)
  return Object.assign(new TermStatistics(TermCounts.from(pairs)), { chunks, length, leftOut, sampledBy })
}

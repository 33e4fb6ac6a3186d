/**
 * A child process that writes a file into a bucket and reads it: `s3-child.ts OPTIONS MEGABYTES`. It reports its memory
 * and its event loop to its parent. Then it has no more work, and the test checks that it ends.
 */
import { setTimeout } from 'node:timers/promises'
import { S3FileStore, type S3FileStoreOptions } from '../../../dist/adapters/s3/index.js'
import { leastOfLongestWorkMs } from '../../ingestion/loop-stops.js'

export interface S3Report {
  /** Peak of the resident memory during the write and the read of a small and a large file, in MB. */
  readonly peaksMb: { readonly small: number; readonly large: number }
  /** True if the bytes read equal the bytes written. */
  readonly isSame: boolean
  /** Longest computing time of the main thread between two turns, in ms, for a file in one piece: the least of rounds. */
  readonly longestWorkMs: number
}

const KEY = '0f9a8960-36ac-426d-9b1e-3c5d7e9f1a2b'
const PIECE = new Uint8Array(65_536)
const SMALL_MEGABYTES = 40
const files = new S3FileStore(JSON.parse(process.argv[2] ?? '{}') as S3FileStoreOptions)

async function* megabytes(count: number): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < count * 16; number += 1) yield PIECE.fill(number % 251)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Peak in MB during the write and the read of a file of `count` megabytes. */
async function peak(count: number): Promise<{ readonly peakMb: number; readonly isSame: boolean }> {
  globalThis.gc?.()
  let peakMb = 0
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6)
  }, 10)
  const written = await files.write(KEY, megabytes(count), { maxBytes: 1e9 })
  const read = await files.digest(KEY)
  clearInterval(sampling)
  return { peakMb, isSame: written.sha256 === read.sha256 && read.sizeBytes === count * 16 * PIECE.length }
}

await peak(SMALL_MEGABYTES)
const small = await peak(SMALL_MEGABYTES)
const large = await peak(Number(process.argv[3]))
const longestWorkMs = await leastOfLongestWorkMs(async () => {
  await files.write(KEY, once(new Uint8Array(60_000_000)), { maxBytes: 1e9 })
  await setTimeout(5)
})
const report: S3Report = {
  peaksMb: { small: small.peakMb, large: large.peakMb },
  isSame: small.isSame && large.isSame,
  longestWorkMs,
}
process.send?.(report)
// The channel to the parent would keep this process alive.
process.disconnect()

import { StorageFullError } from '../../../src/index.js'
import { freeBytesOf } from '../../node-kit/index.js'
import type { SearchedCopy } from './settings-to-compare.js'

/** The database, the indexes and the keys of an engine without documents. */
const EMPTY_ENGINE_BYTES = 16 * 1024 * 1024
/** Bytes, text, words and vectors of a document of plain text, per byte, while the index merges its files. */
const BYTES_PER_BYTE = 8

/**
 * A rough estimate of the disk space of the largest copy. It is too high for formats that have less text than bytes,
 * such as PDF.
 *
 * @param sizeBytes bytes of all documents
 */
export function neededBytes(sizeBytes: number, copies: readonly SearchedCopy[]): number {
  if (copies.length === 0) return 0
  // With an overlap of one half, the chunks have twice as much text as the documents.
  const repetition = 1 / (1 - Math.min(0.95, Math.max(0, ...copies.map(({ overlap }) => overlap))))
  return Math.ceil(EMPTY_ENGINE_BYTES + sizeBytes * (1 + (BYTES_PER_BYTE - 1) * repetition))
}

/**
 * @returns the free bytes of the disk with a folder
 * @throws StorageFullError if they are fewer than needed
 */
export async function requireSpace(folder: string, needed: number): Promise<number> {
  const free = await freeBytesOf(folder)
  if (free >= needed) return free
  throw new StorageFullError(
    `an evaluation needs about ${megabytes(needed)} MB on the disk of ${folder}, and ${megabytes(free)} MB are free: free some space, or compare modes alone, which needs none`,
  )
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}

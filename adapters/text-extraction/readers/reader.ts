import type { ExtractedPiece } from '../../../src/ports/index.js'

/** The bytes of a file, as a reader in the worker thread sees them. */
export interface FileBytes {
  readonly sizeBytes: number
  /** From the beginning; may be called again. */
  open(): AsyncIterable<Uint8Array>
}

/** Reads files of one kind. */
export type Reader = (file: FileBytes) => AsyncIterable<ExtractedPiece>

/** All bytes of a file, for formats that are not read from front to back. */
export async function readAll(file: FileBytes): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(file.sizeBytes)
  let length = 0
  for await (const piece of file.open()) {
    if (piece.length === file.sizeBytes) return Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    whole.set(piece, length)
    length += piece.length
  }
  return whole.subarray(0, length)
}

/** Text that every store can keep. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** A text in pieces of at most that many UTF-16 units, never cut inside a code point. */
export function* piecesOf(text: string, maxUnits: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + maxUnits)
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last < 0xdc00) to -= 1
    yield text.slice(from, to)
    from = to
  }
}

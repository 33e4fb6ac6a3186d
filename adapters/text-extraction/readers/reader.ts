import type { ExtractedPiece } from '../../../src/ports/index.js'

/** The bytes of a file for a reader in the worker thread. */
export interface FileBytes {
  readonly sizeBytes: number
  /** Reads from the beginning. May be called several times. */
  open(): AsyncIterable<Uint8Array>
}

/** Reads files of one kind. */
export type Reader = (file: FileBytes) => AsyncIterable<ExtractedPiece>

/** Reads all bytes of a file, for formats that need the whole file. */
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

/** Replaces characters that some databases cannot store: zeros and halves of surrogate pairs. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** Cuts a text into pieces of at most `maxUnits` UTF-16 units, never inside a code point. */
export function* piecesOf(text: string, maxUnits: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + maxUnits)
    const lastUnit = text.charCodeAt(end - 1)
    if (end < text.length && lastUnit >= 0xd800 && lastUnit < 0xdc00) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

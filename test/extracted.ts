import type { ExtractedPiece, ExtractionSource, TextExtractor } from '../src/ports/index.js'

/** The result for one file: its text, its pieces, and its warnings. */
export interface Extracted {
  readonly text: string
  readonly pieces: readonly ExtractedPiece[]
  readonly warnings: readonly string[]
}

/** A file in memory, in pieces as a file store yields them. */
export function sourceOf(fileName: string, bytes: Uint8Array, bytesPerPull: number = 65_536): ExtractionSource {
  return {
    fileName,
    sizeBytes: bytes.length,
    open: async function* () {
      for (let at = 0; at < bytes.length; at += bytesPerPull) yield bytes.subarray(at, at + bytesPerPull)
    },
  }
}

/** Reads a file to its end. */
export async function extracted(extractor: TextExtractor, source: ExtractionSource): Promise<Extracted> {
  const pieces: ExtractedPiece[] = []
  for await (const piece of extractor.extract(source)) pieces.push(piece)
  return {
    text: pieces.map(({ text }) => text).join(''),
    pieces,
    warnings: pieces.flatMap(({ warnings = [] }) => warnings),
  }
}

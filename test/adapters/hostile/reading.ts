import type { ExtractedPiece, ExtractionSource, TextExtractor } from '../../../src/ports/index.js'

/** How a file was read: its text, or the error's code and sentence. */
export interface Outcome {
  readonly text?: string
  readonly warnings?: readonly string[]
  readonly code?: string
  readonly message?: string
  readonly ms: number
}

/** A file in memory, in pieces as a file store gives them. */
export function sourceOf(fileName: string, bytes: Buffer): ExtractionSource {
  return {
    fileName,
    sizeBytes: bytes.length,
    open: async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    },
  }
}

/** Identifies and reads a file, as an upload and its job do. */
export async function read(extractor: TextExtractor, fileName: string, bytes: Buffer): Promise<Outcome> {
  const began = performance.now()
  const pieces: ExtractedPiece[] = []
  try {
    await extractor.identify(fileName, bytes.subarray(0, 4_096))
    for await (const piece of extractor.extract(sourceOf(fileName, bytes))) pieces.push(piece)
    return {
      text: pieces.map(({ text }) => text).join(''),
      warnings: pieces.flatMap(({ warnings = [] }) => warnings),
      ms: performance.now() - began,
    }
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string }
    return { code: code ?? 'no code', message, ms: performance.now() - began }
  }
}

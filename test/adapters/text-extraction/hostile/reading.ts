import type { TextExtractor } from '../../../../src/ports/index.js'
import { extracted, sourceOf } from '../../../extracted.js'

/** The outcome of an extraction: the text, or the code and the message of the error. */
export interface Outcome {
  readonly text?: string
  readonly warnings?: readonly string[]
  readonly code?: string
  readonly message?: string
  readonly ms: number
}

/** Identifies and extracts a file, as an upload and its job do. */
export async function read(extractor: TextExtractor, fileName: string, bytes: Buffer): Promise<Outcome> {
  const began = performance.now()
  try {
    await extractor.identify(fileName, bytes.subarray(0, 4_096))
    const { text, warnings } = await extracted(extractor, sourceOf(fileName, bytes))
    return { text, warnings, ms: performance.now() - began }
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string }
    return { code: code ?? 'no code', message, ms: performance.now() - began }
  }
}

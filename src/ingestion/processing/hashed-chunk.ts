import type { NewChunk, WindowRecord } from '../../ports/index.js'
import type { Chunk } from '../chunking/chunker.js'
import { hashText } from './hash.js'

/** A chunk with the hashes that name it and its windows under a model. */
export async function hashedChunk(
  { ordinal, start, text, tokens, ...chunk }: Chunk,
  fingerprint: string,
): Promise<NewChunk> {
  const windows = chunk.windows.map(async (window): Promise<WindowRecord> => {
    return { ...window, hash: await hashText(fingerprint, text.slice(window.start, window.end)) }
  })
  const hash = await hashText(fingerprint, text)
  return { ordinal, content: text, start, tokens, hash, windows: await Promise.all(windows) }
}

import { afterAll, describe, expect, it } from 'vitest'
import { openTokenizer } from '../../adapters/device/index.js'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { type Chunk, Chunker } from '../../src/documents/chunking/chunker.js'
import { AlcoveError } from '../../src/index.js'
import { bundledModel } from '../bundled-model.js'
import { sourceOf } from '../extracted.js'
import { dataFolder, readShared, someDocuments } from './shared-documents.js'

const tokenizer = await openTokenizer(bundledModel)
const CHUNKER = { chunkSizeTokens: 1_000, overlap: 0.2, windowTokens: 254 }

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

describe.skipIf(dataFolder === undefined)('every token of a real file', async () => {
  it.each(await someDocuments(1))('is in at least one window of a chunk: $file', async (document) => {
    const { fileName, bytes } = await readShared(document)
    const chunker = new Chunker(tokenizer, CHUNKER)
    const chunks: Chunk[] = []
    let text = ''
    try {
      for await (const piece of extractor.extract(sourceOf(fileName, bytes))) {
        text += piece.text
        chunks.push(...chunker.push(piece.text))
      }
    } catch (error) {
      // Another test checks which files may be refused.
      expect(error).toBeInstanceOf(AlcoveError)
      return
    }
    chunks.push(...chunker.end())

    const { ids, starts, ends } = tokenizer.encode(text)
    const isCovered = new Uint8Array(text.length)
    for (const { start, text: content, tokens, windows } of chunks) {
      expect(text.slice(start, start + content.length) === content).toBe(true)
      expect(tokens).toBeLessThanOrEqual(CHUNKER.chunkSizeTokens)
      expect(tokenizer.count(content)).toBe(tokens)
      for (const window of windows) {
        expect(tokenizer.count(content.slice(window.start, window.end))).toBe(window.tokens)
        expect(window.tokens).toBeLessThanOrEqual(CHUNKER.windowTokens)
        isCovered.fill(1, start + window.start, start + window.end)
      }
    }
    const missed = Array.from(ids.keys()).filter(
      (token) => isCovered[starts[token] ?? 0] !== 1 || isCovered[(ends[token] ?? 1) - 1] !== 1,
    )
    expect(missed).toEqual([])
    expect(chunker.tokens).toBe(ids.length)
  })
})

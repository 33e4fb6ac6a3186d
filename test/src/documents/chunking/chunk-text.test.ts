import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../../adapters/memory/index.js'
import { type ChunkTextOptions, chunkText } from '../../../../src/index.js'
import type { Tokenizer } from '../../../../src/ports/index.js'

describe('a text that a host chunks itself', () => {
  let tokenizer: Tokenizer

  beforeAll(async () => {
    tokenizer = await new MemoryEmbeddingModel().tokenizer()
  })

  const text = Array.from({ length: 4_000 }, (_, at) => `Sentence number ${at} is here.`).join(' ')

  it('is covered completely by slices that have as many tokens as allowed, and share a part with the next slice', () => {
    const chunks = [...chunkText(text, { tokenizer, chunkSizeTokens: 200, overlap: 0.25 })]
    let end = 0
    for (const [ordinal, chunk] of chunks.entries()) {
      expect(chunk).toMatchObject({ ordinal, tokens: tokenizer.count(chunk.text) })
      expect(text.slice(chunk.start, chunk.start + chunk.text.length)).toBe(chunk.text)
      expect(chunk.tokens).toBeLessThanOrEqual(200)
      expect(chunk.windows).toEqual([{ start: 0, end: chunk.text.length, tokens: chunk.tokens }])
      if (ordinal > 0) expect(chunk.start).toBeLessThan(end)
      end = chunk.start + chunk.text.length
    }
    expect([chunks[0]?.start, end]).toEqual([0, text.length])
    const windows = [...chunkText(text, { tokenizer, windowTokens: 100 })].flatMap((chunk) => chunk.windows)
    expect(Math.max(...windows.map(({ tokens }) => tokens))).toBeLessThanOrEqual(100)
    expect([...chunkText(' \n', { tokenizer })]).toEqual([])
  })

  it.each([
    ['chunkSizeTokens', 0],
    ['chunkSizeTokens', 100.5],
    ['overlap', 1],
    ['overlap', -0.1],
    ['windowTokens', 1],
    ['size', 100],
  ])('is refused with %s %d', (field, value) => {
    const options = { tokenizer, [field]: value } as ChunkTextOptions
    expect(() => chunkText(text, options)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_INPUT', field }) as Error,
    )
  })
})

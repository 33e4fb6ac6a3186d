import { ClosedError, type Reranker, type RerankHit, type RerankOptions, rerankText } from '../../src/ports/index.js'

const WORD = /[\p{L}\p{N}]+/gu

/** Scores a hit by the share of the prompt's words that its name, headings and text have. */
export class MemoryReranker implements Reranker {
  readonly id: string = 'memory'
  #isClosed = false

  async rerank(prompt: string, hits: readonly RerankHit[], { signal }: RerankOptions = {}): Promise<readonly number[]> {
    if (this.#isClosed) throw new ClosedError('the reranker')
    signal?.throwIfAborted()
    const asked = wordsOf(prompt)
    return hits.map((hit) => {
      const words = wordsOf(rerankText(hit))
      return [...asked].filter((word) => words.has(word)).length / Math.max(1, asked.size)
    })
  }

  close(): Promise<void> {
    this.#isClosed = true
    return Promise.resolve()
  }
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(WORD))
}

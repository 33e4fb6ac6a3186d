import { MemoryReranker } from '../../../adapters/memory/index.js'
import type { RerankHit, RerankOptions } from '../../../src/ports/index.js'

/** A call as the reranker got it. */
export interface RerankedCall {
  readonly prompt: string
  readonly hits: readonly RerankHit[]
  readonly signal: AbortSignal | undefined
}

/** A reranker with a behaviour that a test sets. It scores a hit by the first number of its text. */
export class HeldReranker extends MemoryReranker {
  override readonly id = 'held'
  readonly concurrency: number
  readonly calls: RerankedCall[] = []
  isClosed = false
  /** Answers a call in the place of right scores. */
  behave: ((call: RerankedCall) => unknown) | undefined

  constructor(concurrency = 4) {
    super()
    this.concurrency = concurrency
  }

  override async rerank(
    prompt: string,
    hits: readonly RerankHit[],
    options: RerankOptions = {},
  ): Promise<readonly number[]> {
    const call = { prompt, hits, signal: options.signal }
    this.calls.push(call)
    return (await (this.behave ?? rightScores)(call)) as readonly number[]
  }

  override async close(): Promise<void> {
    this.isClosed = true
    await super.close()
  }
}

export function rightScores({ hits }: RerankedCall): number[] {
  return hits.map(({ text }) => Number(/\d+/.exec(text)?.[0] ?? -1))
}

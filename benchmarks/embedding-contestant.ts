/**
 * One way to embed texts, in a process of its own: `embedding-contestant.ts KEY`, asked by messages from `embedding.ts`.
 * `{ texts }` readies it, which it answers with its name, or none where its library is not installed; each `'run'` embeds
 * them all and answers with the figures.
 */
import { openDefaultModel } from './default-model.js'
import { CONTESTANTS, type ContestantKey, type EmbeddingContestant } from './embedding-contestants.js'
import { bytesOf } from './measure.js'

/** What a contestant answers once it is ready. */
export interface Readiness {
  readonly name?: string
}

/** What a run did. */
export interface EmbeddingRun {
  readonly ms: number
  /** Positions that the model computed for text, special tokens included and padding not. */
  readonly tokens: number
  /** Of the texts it was given, which overlap where windows do. */
  readonly bytes: number
}

const model = await openDefaultModel()
const tokenizer = await model.tokenizer()

let contestant: EmbeddingContestant | undefined
let texts: readonly string[] = []
let [tokens, bytes] = [0, 0]

process.on('message', (message: 'run' | { readonly texts: readonly string[] }) => {
  void (message === 'run' ? measure() : ready(message.texts))
})

async function ready(given: readonly string[]): Promise<void> {
  texts = given
  bytes = bytesOf(texts)
  contestant = await CONTESTANTS[process.argv[2] as ContestantKey](model)
  tokens = tokensOf(texts)
  // The first run compiles and allocates.
  const some = texts.slice(0, 30)
  await contestant?.embed(some, tokensOf(some))
  process.send?.((contestant === undefined ? {} : { name: contestant.name }) satisfies Readiness)
}

async function measure(): Promise<void> {
  const began = performance.now()
  const computed = (await contestant?.embed(texts, tokens)) ?? 0
  process.send?.({ ms: performance.now() - began, tokens: computed, bytes } satisfies EmbeddingRun)
}

function tokensOf(some: readonly string[]): number {
  const most = contestant?.maxTokens ?? Number.POSITIVE_INFINITY
  return some.reduce((sum, text) => sum + Math.min(tokenizer.count(text) + tokenizer.specialTokens, most), 0)
}

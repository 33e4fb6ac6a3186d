/**
 * One way to embed texts, in a process of its own: `embedding-contestant.ts KEY`. `embedding.ts` sends the messages.
 * The answer to `{ texts }` is the name of the contestant, or no name if its library is not installed. Each `'run'`
 * embeds all texts and answers with the figures.
 */
import { openDefaultModel } from '../harness/default-model.js'
import { bytesOf } from '../harness/measure.js'
import { CONTESTANTS, type ContestantKey, type EmbeddingContestant } from './embedding-contestants.js'

/** The first answer of a contestant, once it is ready. */
export interface Readiness {
  readonly name?: string
}

/** The figures of one run. */
export interface EmbeddingRun {
  readonly ms: number
  /** Positions that the model computed for text. Special tokens count, padding does not. */
  readonly tokens: number
  /** Bytes of the texts that the contestant received. They overlap where windows do. */
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
  // The first run compiles code and allocates memory, so it is not measured.
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

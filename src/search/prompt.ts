import { inflectedWords, questionTerms } from '../analysis/index.js'
import {
  type EmbeddingModels,
  knowsManyLanguages,
  measureModelKnowledge,
  textWindows,
  windowTokensFor,
} from '../documents/index.js'
import { FairScheduler, type TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import { letEventLoopRun } from '../kernel/scheduling/time-slice.js'
import {
  canHaveSimilar,
  type EmbeddingModel,
  type LexicalQuery,
  readableText,
  type SimilarityScale,
  type TokenCounter,
  type Tracer,
} from '../ports/index.js'
import { quotedWords } from './quotations.js'
import type { SearchTurns } from './search-turns.js'

/** Longest work without a pause on the host's event loop, for all prompts together. */
const SLICE_MS = 5

/** Cuts prompts into the windows that a model embeds. Works in slices of a few milliseconds, so the event loop runs. */
export class PromptReader {
  readonly #maxTokens: number
  readonly #turns = new FairScheduler(1)
  /** Time of work since the event loop last ran, in milliseconds. */
  #workedMs = 0

  /** @param maxTokens maximum number of tokens that the windows of a prompt have, unless one window has more */
  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens
  }

  /**
   * @returns the windows of a prompt, in the form that the model reads (`readableText`); none for a blank prompt. A
   *   prompt with more tokens than the limit `promptTokens` has its first and its last windows
   */
  async read(
    taker: TurnTaker,
    prompt: string,
    model: ReturnType<EmbeddingModels['get']>,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const steps = this.#steps(prompt, model, await model.tokenizer())
    for (;;) {
      const step = await this.#turns.one(taker, async () => await this.#runSlice(steps), signal)
      if (step.done === true) return step.value
    }
  }

  *#steps(prompt: string, model: EmbeddingModel, tokenizer: TokenCounter): Generator<undefined, string[], undefined> {
    const windowTokens = windowTokensFor(model, tokenizer, 'query')
    const { windows } = yield* textWindows(prompt, tokenizer, windowTokens)
    const most = Math.max(1, Math.floor(this.#maxTokens / windowTokens))
    const kept = windows.length <= most ? windows : [...windows.slice(0, Math.ceil(most / 2)), ...lastOf(windows, most)]
    const readable: string[] = []
    for (const window of kept) {
      readable.push(readableText(tokenizer, window))
      yield
    }
    return readable
  }

  async #runSlice<Result>(steps: Generator<undefined, Result, undefined>): Promise<IteratorResult<undefined, Result>> {
    const startedAt = performance.now()
    try {
      let step = steps.next()
      while (step.done !== true && this.#workedSince(startedAt) < SLICE_MS) step = steps.next()
      return step
    } finally {
      this.#workedMs = this.#workedSince(startedAt)
      if (this.#workedMs >= SLICE_MS) {
        await letEventLoopRun()
        this.#workedMs = 0
      }
    }
  }

  #workedSince(startedAt: number): number {
    return this.#workedMs + performance.now() - startedAt
  }
}

/** @returns the last windows of a prompt that has `most` windows in all */
function lastOf(windows: readonly string[], most: number): readonly string[] {
  return windows.slice(windows.length - Math.floor(most / 2))
}

/** Embeds the windows of a prompt, each in a turn of its own. @returns one vector for each window */
export async function embedWindows(
  { turns, tracer }: { readonly turns: SearchTurns; readonly tracer: Tracer },
  model: EmbeddingModel,
  windows: readonly string[],
  taker: TurnTaker,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const embed = windows.map((window) => async (abort: AbortSignal) => {
    return await model.embed([window], { kind: 'query', signal: abort })
  })
  const labels = { 'alcove.model.id': model.profile.id }
  const attributes = { 'alcove.model.windows': windows.length }
  return await tracer.span('alcove.search.embed', { labels, attributes }, async () => {
    return await turns.ofModel(model).all(taker, embed, signal)
  })
}

/**
 * Maximum number of terms in a query: more terms take longer than the rest of the search and change the results little.
 */
const MAX_TERMS = 256
/** UTF-16 units from which on a longer term is not worth more. */
const LONG_TERM = 8

/**
 * Extracts the terms of a prompt for the word index. From a long prompt, it takes the terms that the prompt repeats
 * most, and long words before short ones: most short words are in every text.
 *
 * @returns at most 256 terms with their weights
 */
export function promptTerms(prompt: string): LexicalQuery {
  return withMostWorth(questionTerms(prompt), MAX_TERMS)
}

/** @returns at most so many of the terms: those with the highest weights, and long ones before short ones */
export function withMostWorth(terms: LexicalQuery, most: number): LexicalQuery {
  if (terms.size <= most) return terms
  const worth = ([term, weight]: readonly [string, number]): number => weight * Math.min(LONG_TERM, term.length) ** 2
  return new Map([...terms].sort((one, other) => worth(other) - worth(one)).slice(0, most))
}

/** The value of a model's vectors for one prompt. */
export interface MeasuredKnowledge {
  /**
   * Share of the prompt that the model knows, 0 to 1: see {@link measureModelKnowledge}. 1 for a model that knows many
   * languages, because its vocabulary cuts words that it knows into pieces.
   */
  readonly modelKnowledge: number
  /** The scale of the model's similarities; undefined if it is not known. */
  readonly similarityScale: SimilarityScale | undefined
}

/** Measures how much of a prompt a model knows: once, when a search first needs it. */
export class PromptKnowledge {
  #measured: Promise<MeasuredKnowledge> | undefined

  /**
   * @param readPrompt the part of the prompt that decides
   * @param readScale the scale of the model's similarities
   */
  constructor(
    private readonly readPrompt: () => Promise<string>,
    private readonly readScale: () => Promise<SimilarityScale | undefined>,
    private readonly model: EmbeddingModel,
  ) {}

  async measure(): Promise<MeasuredKnowledge> {
    this.#measured ??= this.#measure()
    return await this.#measured
  }

  async #measure(): Promise<MeasuredKnowledge> {
    const similarityScale = await this.readScale()
    const knowsMany = similarityScale !== undefined && knowsManyLanguages(similarityScale)
    if (knowsMany) return { modelKnowledge: 1, similarityScale }
    const tokenizer = await this.model.tokenizer()
    return { modelKnowledge: measureModelKnowledge(await this.readPrompt(), tokenizer), similarityScale }
  }
}

/** Maximum number of words of a prompt that count together with similar ones: each takes time. The longest tell most. */
const MAX_SIMILAR_WORDS = 64

/**
 * @param quoted the words that stand for themselves alone
 * @returns the words of a prompt that count together with similar words: all but short, quoted and very common ones
 */
export function similarWordsOf(prompt: string, quoted: ReadonlySet<string> = quotedWords(prompt)): ReadonlySet<string> {
  const words = [...inflectedWords(prompt)].filter((word) => canHaveSimilar(word) && !quoted.has(word))
  if (words.length <= MAX_SIMILAR_WORDS) return new Set(words)
  return new Set(words.sort((one, other) => other.length - one.length).slice(0, MAX_SIMILAR_WORDS))
}

import { questionTerms } from '../analysis/index.js'
import { type EmbeddingModels, textWindows, windowTokensFor } from '../documents/index.js'
import { InvalidInputError } from '../kernel/errors.js'
import { FairScheduler, type TurnTaker } from '../kernel/fair-scheduler.js'
import type { EmbeddingModel, LexicalQuery, Tokenizer } from '../ports/index.js'

/** Longest work without a pause on the host's event loop, for all prompts together. */
const SLICE_MS = 5

/** Cuts prompts into the windows that a model embeds. Works in slices of a few milliseconds, so the event loop runs. */
export class PromptReader {
  readonly #maxTokens: number
  readonly #turns = new FairScheduler(1)
  /** Time of work since the event loop last ran, in milliseconds. */
  #workedMs = 0

  /** @param maxTokens maximum number of tokens of a prompt */
  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens
  }

  /**
   * @returns the windows of a prompt, in the form that the model reads (`Tokenizer.readable`); none for a blank prompt
   * @throws InvalidInputError if the prompt has more tokens than the limit `promptTokens`
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

  *#steps(prompt: string, model: EmbeddingModel, tokenizer: Tokenizer): Generator<undefined, string[], undefined> {
    const { tokens, windows } = yield* textWindows(prompt, tokenizer, windowTokensFor(model, tokenizer, 'query'))
    if (tokens > this.#maxTokens) {
      const problem = `has ${tokens} tokens for the model ${model.profile.id}; at most ${this.#maxTokens} are allowed`
      throw new InvalidInputError('prompt', problem)
    }
    const readable: string[] = []
    for (const window of windows) {
      readable.push(tokenizer.readable(window))
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
      if (this.#workedMs >= SLICE_MS) await this.#runEventLoop()
    }
  }

  #workedSince(startedAt: number): number {
    return this.#workedMs + performance.now() - startedAt
  }

  /** Lets the event loop run once. */
  async #runEventLoop(): Promise<void> {
    await new Promise((resolve) => {
      setTimeout(resolve, 0)
    })
    this.#workedMs = 0
  }
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
  const terms = questionTerms(prompt)
  if (terms.size <= MAX_TERMS) return terms
  const worth = ([term, weight]: readonly [string, number]): number => weight * Math.min(LONG_TERM, term.length) ** 2
  return new Map([...terms].sort((one, other) => worth(other) - worth(one)).slice(0, MAX_TERMS))
}

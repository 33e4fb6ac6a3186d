import { questionTerms } from '../analysis/index.js'
import { type EmbeddingModels, textWindows, windowTokensFor } from '../documents/index.js'
import { InvalidInputError } from '../kernel/errors.js'
import { FairTurns, type TurnTaker } from '../kernel/fair-turns.js'
import type { EmbeddingModel, LexicalQuery, Tokenizer } from '../ports/index.js'

/** Longest stretch of work on the host's event loop, for all prompts together. */
const SLICE_MS = 5

/** Cuts prompts into the windows that a model reads: in turns of a few milliseconds, between which the host goes on. */
export class PromptReader {
  readonly #mostTokens: number
  readonly #turns = new FairTurns(1)
  /** Since the event loop turned. */
  #workedMs = 0

  constructor(mostTokens: number) {
    this.#mostTokens = mostTokens
  }

  /**
   * @returns the windows of a prompt as the model is to be given them; none for a blank prompt
   * @throws InvalidInputError where the prompt has more tokens than it may
   */
  async read(
    taker: TurnTaker,
    prompt: string,
    model: ReturnType<EmbeddingModels['get']>,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const steps = this.#steps(prompt, model, await model.tokenizer())
    for (;;) {
      const step = await this.#turns.one(taker, async () => await this.#slice(steps), signal)
      if (step.done === true) return step.value
    }
  }

  *#steps(prompt: string, model: EmbeddingModel, tokenizer: Tokenizer): Generator<undefined, string[], undefined> {
    const { tokens, windows } = yield* textWindows(prompt, tokenizer, windowTokensFor(model, tokenizer, 'query'))
    if (tokens > this.#mostTokens) {
      const problem = `has ${tokens} tokens for the model ${model.profile.id}; at most ${this.#mostTokens} are allowed`
      throw new InvalidInputError('prompt', problem)
    }
    const readable: string[] = []
    for (const window of windows) {
      readable.push(tokenizer.readable(window))
      yield
    }
    return readable
  }

  async #slice<Result>(steps: Generator<undefined, Result, undefined>): Promise<IteratorResult<undefined, Result>> {
    const began = performance.now()
    try {
      let step = steps.next()
      while (step.done !== true && this.#worked(began) < SLICE_MS) step = steps.next()
      return step
    } finally {
      this.#workedMs = this.#worked(began)
      if (this.#workedMs >= SLICE_MS) await this.#rest()
    }
  }

  #worked(began: number): number {
    return this.#workedMs + performance.now() - began
  }

  /** Lets the event loop turn. */
  async #rest(): Promise<void> {
    await new Promise((resolve) => {
      setTimeout(resolve, 0)
    })
    this.#workedMs = 0
  }
}

/** Terms that a word index is asked for: more take it longer than the rest of a search, and change little. */
const MOST_TERMS = 256
/** A word that is as long says as much as a longer one. */
const LONG = 8

/**
 * The terms of a prompt that its words are looked for by. Of a long prompt those that it repeats most, long words
 * before short ones, which are mostly the ones that every text has.
 */
export function promptTerms(prompt: string): LexicalQuery {
  const terms = questionTerms(prompt)
  if (terms.size <= MOST_TERMS) return terms
  const worth = ([term, weight]: readonly [string, number]): number => weight * Math.min(LONG, term.length) ** 2
  return new Map([...terms].sort((one, other) => worth(other) - worth(one)).slice(0, MOST_TERMS))
}

import { inflectedWords, questionTerms } from '../analysis/index.js'
import { type EmbeddingModels, textWindows, windowTokensFor } from '../documents/index.js'
import { FairScheduler, type TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import { letEventLoopRun } from '../kernel/scheduling/time-slice.js'
import {
  canHaveSimilar,
  type EmbeddingModel,
  type Encoding,
  isTokenizer,
  type LexicalQuery,
  readableText,
  type SimilarityScale,
  type TokenCounter,
  type Tracer,
} from '../ports/index.js'
import { knowsManyLanguages } from './floor/similarity-scales.js'
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

/** Known share of a question at which its knowledge is 0: such a question is almost noise to the model. */
const MIN_KNOWN_SHARE = 0.3
/**
 * Known share at which the knowledge is 1. With the default model, English has 0.8 to 1, Spanish and German 0.4 to 0.7,
 * Russian and Chinese 0 to 0.25.
 */
const FULL_KNOWN_SHARE = 0.8

/** UTF-16 units that are measured, in a few milliseconds. The rest of the question is assumed to be alike. */
const MAX_UNITS = 2_048

/** Made at the first question: to make it takes as long as to use it for one. */
let wordSegmenter: Intl.Segmenter | undefined

const LETTER = /\p{L}/gu
const HAN_ONLY = /^\p{Script=Han}+$/u

/**
 * Measures with the tokenizer how much of a question an embedding model knows. A model has seen the words that are
 * whole in its vocabulary. For a language that it was not trained on, the vocabulary has single letters or nothing.
 *
 * - Each word counts by its letters, divided by the number of its tokens.
 * - A word with an unknown token, or a word whose tokens are its letters, counts as unknown.
 * - Chinese characters are tokens of their own in models that know them well.
 * - For a tokenizer without `unknownId`, the number of tokens alone decides: an unknown script has many byte tokens.
 * - For a question without words of two letters or more, such as a number or an emoji, the share of its known tokens
 *   decides.
 * - A counter of tokens has no vocabulary, so it shows nothing.
 *
 * @returns 0 to 1; 1 if nothing shows that the model does not know the question
 */
export function measureModelKnowledge(question: string, tokenizer: TokenCounter): number {
  if (!isTokenizer(tokenizer)) return 1
  const text = startOf(question)
  const tokens = new TokenRanges(text, tokenizer.encode(text), tokenizer.unknownId)
  let knownLetters = 0
  let letters = 0
  for (const { segment, index, isWordLike } of segmentsOf(text)) {
    if (isWordLike !== true) continue
    const wordLetters = countLetters(segment)
    if (wordLetters < 2 && !HAN_ONLY.test(segment)) continue
    letters += wordLetters
    knownLetters += wordLetters * knownShareOf(segment, wordLetters, tokens.within(index, index + segment.length))
  }
  const share = letters === 0 ? tokens.knownShare : knownLetters / letters
  return Math.min(1, Math.max(0, (share - MIN_KNOWN_SHARE) / (FULL_KNOWN_SHARE - MIN_KNOWN_SHARE)))
}

function segmentsOf(text: string): Intl.Segments {
  wordSegmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  return wordSegmenter.segment(text)
}

/** @returns the known share of one word, 0 to 1 */
function knownShareOf(word: string, letters: number, { count, hasUnknown }: WordTokens): number {
  if (hasUnknown || count === 0) return 0
  if (HAN_ONLY.test(word)) return count <= letters ? 1 : 0
  return count < letters ? 1 / count : 0
}

/** The tokens of one word. */
interface WordTokens {
  /** Number of tokens that have a letter. */
  readonly count: number
  /** True if one of the tokens is the unknown token. */
  readonly hasUnknown: boolean
}

/** Finds the tokens of each word. The caller asks for words in the order of the text. */
class TokenRanges {
  readonly #tokens: Encoding
  /** Index of the first token that may overlap the next word. */
  #next = 0

  constructor(
    private readonly text: string,
    tokens: Encoding,
    private readonly unknownId: number | undefined,
  ) {
    this.#tokens = tokens
  }

  /** Share of the text's tokens that are not unknown, 0 to 1; 1 for a text without tokens. */
  get knownShare(): number {
    const { ids } = this.#tokens
    return ids.length === 0 ? 1 : ids.filter((id) => id !== this.unknownId).length / ids.length
  }

  /** @returns the tokens that overlap the word; an unknown token that covers several words belongs to each of them */
  within(start: number, end: number): WordTokens {
    const { ids, starts, ends } = this.#tokens
    while (this.#next < ids.length && (ends[this.#next] ?? 0) <= start) this.#next += 1
    let count = 0
    let hasUnknown = false
    for (let token = this.#next; token < ids.length && (starts[token] ?? 0) < end; token += 1) {
      if (countLetters(this.text.slice(starts[token], ends[token])) > 0) count += 1
      if (ids[token] === this.unknownId) hasUnknown = true
    }
    return { count, hasUnknown }
  }
}

function countLetters(text: string): number {
  return text.normalize('NFC').match(LETTER)?.length ?? 0
}

/** @returns the start of a long text; never ends within a code point */
function startOf(text: string): string {
  if (text.length <= MAX_UNITS) return text
  const last = text.charCodeAt(MAX_UNITS - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_UNITS - 1 : MAX_UNITS)
}

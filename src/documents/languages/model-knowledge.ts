import { type Encoding, isTokenizer, type TokenCounter } from '../../ports/index.js'

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

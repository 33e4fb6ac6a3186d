import type { Encoding, Tokenizer } from '../ports/index.js'

/** A question that the tokenizer knows no better is all but noise to the model. */
const LEAST_KNOWN = 0.3
/** English has 0.8 to 1 under the default model, Spanish and German 0.4 to 0.7, Russian and Chinese 0 to 0.25. */
const WELL_KNOWN = 0.8

/** UTF-16 units that are looked at, which takes a few milliseconds: what comes behind is taken to be like them. */
const MOST_UNITS = 2_048

const LETTER = /\p{L}/gu
const HAN_ALONE = /^\p{Script=Han}+$/u

/**
 * How much of a question an embedding model knows, 0 to 1, as its tokenizer shows it: a model has seen the words that its
 * vocabulary has whole; of a language that it was not trained on, the vocabulary has single letters or nothing.
 *
 * Each word counts by its letters, divided by the tokens that it is cut into. Nothing is known of a word with an unknown
 * token, or one that is cut into its letters. Chinese characters are tokens of their own in models that know them well.
 * A tokenizer without `unknownId` is judged by the number of tokens alone: bytes of an unknown script are many.
 *
 * A question without words of two letters or more, such as a number or an emoji, is known as far as its tokens are.
 *
 * @returns 1 where nothing says that the model does not know it
 */
export function modelKnowledge(question: string, tokenizer: Tokenizer): number {
  const text = beginning(question)
  const tokens = new TokenPlaces(text, tokenizer.encode(text), tokenizer.unknownId)
  let known = 0
  let letters = 0
  for (const { segment, index, isWordLike } of new Intl.Segmenter('und', { granularity: 'word' }).segment(text)) {
    if (isWordLike !== true) continue
    const ofWord = lettersOf(segment)
    if (ofWord < 2 && !HAN_ALONE.test(segment)) continue
    letters += ofWord
    known += ofWord * knownPart(segment, ofWord, tokens.within(index, index + segment.length))
  }
  const share = letters === 0 ? tokens.knownShare : known / letters
  return Math.min(1, Math.max(0, (share - LEAST_KNOWN) / (WELL_KNOWN - LEAST_KNOWN)))
}

function knownPart(word: string, letters: number, { count, hasUnknown }: WordTokens): number {
  if (hasUnknown || count === 0) return 0
  if (HAN_ALONE.test(word)) return count <= letters ? 1 : 0
  return count < letters ? 1 / count : 0
}

/** The tokens of one word. */
interface WordTokens {
  /** Tokens that have a letter. */
  readonly count: number
  readonly hasUnknown: boolean
}

/** Tells which tokens lie in a word; words are asked for in the text's order. */
class TokenPlaces {
  readonly #text: string
  readonly #tokens: Encoding
  readonly #unknownId: number | undefined
  #at = 0

  constructor(text: string, tokens: Encoding, unknownId: number | undefined) {
    this.#text = text
    this.#tokens = tokens
    this.#unknownId = unknownId
  }

  /** The share of all tokens that are not unknown; 1 where there are none. */
  get knownShare(): number {
    const { ids } = this.#tokens
    return ids.length === 0 ? 1 : ids.filter((id) => id !== this.#unknownId).length / ids.length
  }

  /** Tokens that overlap the word: an unknown one may cover several words, and is of each. */
  within(start: number, end: number): WordTokens {
    const { ids, starts, ends } = this.#tokens
    while (this.#at < ids.length && (ends[this.#at] ?? 0) <= start) this.#at += 1
    let count = 0
    let hasUnknown = false
    for (let token = this.#at; token < ids.length && (starts[token] ?? 0) < end; token += 1) {
      if (lettersOf(this.#text.slice(starts[token], ends[token])) > 0) count += 1
      if (ids[token] === this.#unknownId) hasUnknown = true
    }
    return { count, hasUnknown }
  }
}

function lettersOf(text: string): number {
  return text.normalize('NFC').match(LETTER)?.length ?? 0
}

/** Never ends within a code point. */
function beginning(text: string): string {
  if (text.length <= MOST_UNITS) return text
  const last = text.charCodeAt(MOST_UNITS - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? MOST_UNITS - 1 : MOST_UNITS)
}

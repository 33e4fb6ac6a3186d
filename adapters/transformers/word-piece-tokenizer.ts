import type { Encoding, Tokenizer, WordSpans } from '../../src/ports/index.js'
import { CODE_POINT_CLASS, classify, type NormalizerOptions, normalize } from './code-points.js'
import { atOnce, inSlices, type Steps } from './steps.js'
import { WordCache } from './word-cache.js'
import { type NormalizedWord, type WordPieces, WordPieceVocabulary } from './word-piece.js'
import { SpanList, TokenCount, TokenList, type Words } from './words.js'

/** What a WordPiece tokenizer is made of; read from `tokenizer.json` by `readTokenizerFile`. */
export interface WordPieceTokenizerOptions {
  readonly vocabulary: Readonly<Record<string, number>>
  readonly unknownToken: string
  readonly continuingPrefix: string
  /** Longest word in code points, after normalising, that WordPiece cuts into pieces. */
  readonly maxWordCharacters: number
  readonly normalizer: NormalizerOptions
  /** Tokens such as `[SEP]` that are found in the text as they stand. */
  readonly addedTokens: Readonly<Record<string, number>>
  /** Tokens put around every input. */
  readonly specialTokens: number
  /**
   * What becomes of a longer word: `cut` (default) into words of that length, so that
   * nothing is lost; `unknown`, one token for all of it, as the reference does.
   */
  readonly longWords?: 'cut' | 'unknown'
}

/** Longest word in UTF-16 units, characters that normalise to nothing included. */
const MAX_WORD_UNITS = 512
/** Texts up to this length are read in memory that is kept for the next one. */
const KEPT_UNITS = 2 ** 17

/**
 * BERT's WordPiece with the place of each token, in UTF-16 units.
 *
 * Words are cut on their own, so a map from word to pieces makes most of the
 * work a scan and a look-up. Agrees with the Rust reference (`tokenizers` 0.23)
 * in ids and offsets, long words apart (see `longWords`).
 */
export class WordPieceTokenizer implements Tokenizer {
  readonly specialTokens: number
  readonly #options: WordPieceTokenizerOptions
  readonly #vocabulary: WordPieceVocabulary
  readonly #classes = new Uint8Array(0x110000)
  readonly #normalized = new Map<string, string>()
  /** A run that may have more characters than a word may have, once it is normalised. */
  readonly #longRun: RegExp
  readonly #addedStarts: ReadonlySet<number>
  /** UTF-16 units of a word that is short enough however it is normalised. */
  readonly #mostUncut: number
  readonly #cache = new WordCache()
  #kept = new Uint16Array()

  /** @param vocabulary that of the options, where it has been built already */
  constructor(options: WordPieceTokenizerOptions, vocabulary: WordPieceVocabulary = atOnce(buildVocabulary(options))) {
    this.#options = options
    this.specialTokens = options.specialTokens
    const { maxWordCharacters, longWords = 'cut' } = options
    // Decomposed Hangul has up to three letters a syllable.
    this.#mostUncut = longWords === 'unknown' ? Number.POSITIVE_INFINITY : Math.floor(maxWordCharacters / 3)
    this.#vocabulary = vocabulary
    // U+FEFF is white space to a regular expression, and nothing to BERT.
    this.#longRun = new RegExp(`[\\S\uFEFF]{${Math.floor(options.maxWordCharacters / 3)}}`, 'u')
    this.#addedStarts = new Set(Object.keys(options.addedTokens).map((token) => token.charCodeAt(0)))
  }

  /** As the constructor, without blocking the event loop while the vocabulary is built. */
  static async create(options: WordPieceTokenizerOptions): Promise<WordPieceTokenizer> {
    return new WordPieceTokenizer(options, await inSlices(buildVocabulary(options)))
  }

  split(text: string): WordSpans {
    const spans = new SpanList(text.length)
    this.#scan(text, spans)
    return spans
  }

  encode(text: string): Encoding {
    const tokens = new TokenList(this.#cache)
    this.#scan(text, tokens)
    return tokens.toEncoding()
  }

  readable(text: string): string {
    if (this.#options.longWords === 'unknown' || !this.#longRun.test(text)) return text
    const { count, starts, ends } = this.split(text)
    const parts: string[] = []
    let from = 0
    for (let word = 1; word < count; word += 1) {
      const end = ends[word - 1] ?? 0
      // Only a cut run has two words of letters that touch: punctuation stands alone without a break.
      if (starts[word] !== end || !this.#isInsideRun(text, end)) continue
      parts.push(text.slice(from, end))
      from = end
    }
    parts.push(text.slice(from))
    return parts.join(' ')
  }

  count(text: string): number {
    const count = new TokenCount()
    this.#scan(text, count)
    return count.tokens
  }

  #scan(text: string, words: Words): void {
    const units = this.#unitsOf(text)
    const classes = this.#classes
    const length = text.length
    for (let at = 0; at < length; ) {
      const start = at
      at = endOfKnown(units, classes, at, length)
      while (at < length && classes[units[at] ?? 0] === 0) {
        const width = this.#unknownInWord(text, at)
        if (width === 0) break
        at = endOfKnown(units, classes, at + width, length)
      }
      if (at > start) this.#word(text, units, start, at, words)
      if (at === length) return
      at = classes[units[at] ?? 0] === CODE_POINT_CLASS.space ? at + 1 : this.#notWord(text, units, at, words)
    }
  }

  /** Units of a code point of a word that is not known as such: a pair, or one that is met for the first time. Else 0. */
  #unknownInWord(text: string, at: number): number {
    const codePoint = text.codePointAt(at) ?? 0
    return this.#kindOf(codePoint) === CODE_POINT_CLASS.word ? widthOf(codePoint) : 0
  }

  /** Takes a code point that is in no word, or a special token that begins with it. @returns the offset behind it */
  #notWord(text: string, units: Uint16Array, at: number, words: Words): number {
    const codePoint = text.codePointAt(at) ?? 0
    const end = at + widthOf(codePoint)
    if (this.#kindOf(codePoint) !== CODE_POINT_CLASS.alone) return end
    const added = this.#addedStarts.has(codePoint) ? this.#addedTokenAt(text, at) : undefined
    if (added === undefined) {
      this.#add(text, units, at, end, words)
      return end
    }
    const token = wholeToken(this.#options.addedTokens[added] ?? 0, added.length)
    words.add(at, at + added.length, 1, this.#cache.addOnce(token))
    return at + added.length
  }

  /** The UTF-16 units of a text, and what was there before behind them; until the next text. */
  #unitsOf(text: string): Uint16Array {
    if (this.#kept.length < text.length) {
      const units = new Uint16Array(text.length)
      if (text.length <= KEPT_UNITS) this.#kept = units
      return copyUnits(text, units)
    }
    return copyUnits(text, this.#kept)
  }

  #isInsideRun(text: string, at: number): boolean {
    const before = text.codePointAt(at - 1) ?? 0
    const last = before >= 0xdc00 && before < 0xe000 ? (text.codePointAt(at - 2) ?? before) : before
    return (
      this.#kindOf(last) === CODE_POINT_CLASS.word && this.#kindOf(text.codePointAt(at) ?? 0) === CODE_POINT_CLASS.word
    )
  }

  /** Most words are short: what is needed for others alone stays out of their way. */
  #word(text: string, units: Uint16Array, start: number, end: number, words: Words): void {
    if (end - start <= this.#mostUncut) this.#add(text, units, start, end, words)
    else this.#longWord(text, units, start, end, words)
  }

  #longWord(text: string, units: Uint16Array, start: number, end: number, words: Words): void {
    const { maxWordCharacters } = this.#options
    const part = (from: number, to: number): void => this.#add(text, units, from, to, words)
    let from = start
    let characters = 0
    for (let at = start; at < end; ) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      const length = codePointLength(this.#normalize(character))
      const isTooLong = characters + length > maxWordCharacters || at + character.length - from > MAX_WORD_UNITS
      if (isTooLong && at > from) {
        part(from, at)
        from = at
        characters = 0
      }
      characters += length
      at += character.length
    }
    part(from, end)
  }

  #add(text: string, units: Uint16Array, start: number, end: number, words: Words): void {
    const cache = this.#cache
    let word = cache.find(units, start, end)
    if (word < 0) word = cache.add(units, start, end, this.#cut(text.slice(start, end)))
    words.add(start, end, cache.tokens[word] ?? 0, word)
  }

  #cut(word: string): WordPieces {
    const normalized = this.#normalizeWord(word)
    const tooLong = codePointLength(normalized.text) > this.#options.maxWordCharacters
    return tooLong ? this.#vocabulary.unknown(normalized) : this.#vocabulary.cut(normalized)
  }

  #normalizeWord(word: string): NormalizedWord {
    const starts: number[] = []
    const ends: number[] = []
    let text = ''
    let at = 0
    for (const character of word) {
      const normalized = this.#normalize(character)
      starts.push(...new Array<number>(normalized.length).fill(at))
      ends.push(...new Array<number>(normalized.length).fill(at + character.length))
      text += normalized
      at += character.length
    }
    return { text, starts, ends }
  }

  #normalize(character: string): string {
    let normalized = this.#normalized.get(character)
    if (normalized === undefined) {
      normalized = normalize(character, this.#options.normalizer)
      this.#normalized.set(character, normalized)
    }
    return normalized
  }

  #kindOf(codePoint: number): number {
    const known = this.#classes[codePoint] ?? 0
    return known === 0 ? this.#classify(codePoint) : known
  }

  #classify(codePoint: number): number {
    const kind = classify(codePoint, this.#options.normalizer)
    this.#classes[codePoint] = kind
    return kind
  }

  #addedTokenAt(text: string, at: number): string | undefined {
    return Object.keys(this.#options.addedTokens).find((token) => text.startsWith(token, at))
  }
}

function buildVocabulary(options: WordPieceTokenizerOptions): Steps<WordPieceVocabulary> {
  return WordPieceVocabulary.build(options.vocabulary, options.unknownToken, options.continuingPrefix)
}

function copyUnits(text: string, units: Uint16Array): Uint16Array {
  Buffer.from(units.buffer).write(text, 'utf16le')
  return units
}

/** Where a run of units ends that are known to be parts of a word. A function of its own, or it takes twice as long. */
function endOfKnown(units: Uint16Array, classes: Uint8Array, from: number, length: number): number {
  let at = from
  while (at < length && classes[units[at] ?? 0] === CODE_POINT_CLASS.word) at += 1
  return at
}

/** In UTF-16 units. */
function widthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1
}

function wholeToken(id: number, length: number): WordPieces {
  return { ids: [id], starts: [0], ends: [length] }
}

function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

import type { Encoding, Tokenizer, WordSpans } from '../../src/ports/index.js'
import { CODE_POINT_CLASS, classify, type NormalizerOptions } from './code-points.js'
import { atOnce, inSlices, type Steps } from './steps.js'
import { hashed, hashOf, WordCache } from './word-cache.js'
import { WordCutter } from './word-cutter.js'
import { type WordPieces, WordPieceVocabulary } from './word-piece.js'
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
  readonly unknownId: number
  readonly #options: WordPieceTokenizerOptions
  readonly #cutter: WordCutter
  readonly #classes = new Uint8Array(0x110000)
  /** A run that may have more characters than a word may have, once it is normalised. */
  readonly #longRun: RegExp
  readonly #addedStarts: ReadonlySet<number>
  /** UTF-16 units of a word that is short enough however it is normalised. */
  readonly #mostUncut: number
  readonly #cache = new WordCache()
  /** That of the latest run of known units, which has an end to return already. */
  readonly #hash = new Int32Array(1)
  #kept = new Uint16Array()

  /** @param vocabulary that of the options, where it has been built already */
  constructor(options: WordPieceTokenizerOptions, vocabulary: WordPieceVocabulary = atOnce(buildVocabulary(options))) {
    this.#options = options
    this.specialTokens = options.specialTokens
    this.unknownId = vocabulary.unknownId
    const { maxWordCharacters, longWords = 'cut' } = options
    // Decomposed Hangul has up to three letters a syllable.
    this.#mostUncut = longWords === 'unknown' ? Number.POSITIVE_INFINITY : Math.floor(maxWordCharacters / 3)
    this.#cutter = new WordCutter(options, vocabulary)
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
    const hash = this.#hash
    const length = text.length
    for (let at = 0; at < length; ) {
      const start = at
      at = endOfKnown(units, classes, at, length, hash)
      if (at < length && classes[units[at] ?? 0] === 0) {
        at = this.#endOfWord(text, units, at)
        hash[0] = hashOf(units, start, at)
      }
      if (at > start) this.#word(text, units, start, at, hash[0] ?? 0, words)
      if (at === length) return
      at = classes[units[at] ?? 0] === CODE_POINT_CLASS.space ? at + 1 : this.#notWord(text, units, at, words)
    }
  }

  /** Where a word ends that goes on with a code point that is not known yet, if it does. */
  #endOfWord(text: string, units: Uint16Array, from: number): number {
    let at = from
    while (at < text.length && this.#classes[units[at] ?? 0] === 0) {
      const width = this.#unknownInWord(text, at)
      if (width === 0) return at
      at = endOfKnown(units, this.#classes, at + width, text.length, this.#hash)
    }
    return at
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
      this.#add(text, units, at, end, hashOf(units, at, end), words)
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
  #word(text: string, units: Uint16Array, start: number, end: number, hash: number, words: Words): void {
    if (end - start <= this.#mostUncut) this.#add(text, units, start, end, hash, words)
    else this.#longWord(text, units, start, end, words)
  }

  #longWord(text: string, units: Uint16Array, start: number, end: number, words: Words): void {
    let from = start
    for (const to of this.#cutter.partEnds(text, start, end)) {
      this.#add(text, units, from, to, hashOf(units, from, to), words)
      from = to
    }
  }

  #add(text: string, units: Uint16Array, start: number, end: number, hash: number, words: Words): void {
    const cache = this.#cache
    let word = cache.find(units, start, end, hash)
    if (word < 0) word = cache.add(units, start, end, hash, this.#cutter.cut(text.slice(start, end)))
    words.add(start, end, cache.tokens(word), word)
  }

  #kindOf(codePoint: number): number {
    const known = this.#classes[codePoint] ?? 0
    return known === 0 ? this.#classify(codePoint) : known
  }

  #classify(codePoint: number): number {
    const kind = classify(codePoint, this.#options.normalizer)
    // Half of a pair is one by itself alone: as a unit of text it mostly is not.
    if (codePoint < 0xd800 || codePoint > 0xdfff) this.#classes[codePoint] = kind
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

/**
 * Where a run of units ends that are known to be parts of a word; writes their hash, which it is the cheapest to make
 * here. A function of its own, or it takes twice as long.
 */
function endOfKnown(units: Uint16Array, classes: Uint8Array, from: number, length: number, hash: Int32Array): number {
  let at = from
  let own = 0
  for (; at < length; at += 1) {
    const unit = units[at] ?? 0
    if (classes[unit] !== CODE_POINT_CLASS.word) break
    own = hashed(own, unit)
  }
  hash[0] = own
  return at
}

/** In UTF-16 units. */
function widthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1
}

function wholeToken(id: number, length: number): WordPieces {
  return { ids: [id], starts: [0], ends: [length] }
}

import type { Encoding, Tokenizer, WordSpans } from '../../src/ports/index.js'
import { CODE_POINT_CLASS, classify, type NormalizerOptions } from './code-points.js'
import { runAtOnce, runInSlices, type Steps } from './steps.js'
import { extendHash, hashOf, SpanList, TokenCount, TokenList, WordCache, type WordSink } from './word-cache.js'
import { WordCutter, type WordPieces, WordPieceVocabulary } from './word-cutter.js'

/** The options of a WordPiece tokenizer, which `readTokenizerFile` reads from `tokenizer.json`. */
export interface WordPieceTokenizerOptions {
  readonly vocabulary: Readonly<Record<string, number>>
  readonly unknownToken: string
  readonly continuingPrefix: string
  /** The longest word, in code points after normalising, that WordPiece cuts into pieces. */
  readonly maxWordCharacters: number
  readonly normalizer: NormalizerOptions
  /** Tokens such as `[SEP]` that the text may contain literally. */
  readonly addedTokens: Readonly<Record<string, number>>
  /** The number of tokens that are put around every input. */
  readonly specialTokens: number
  /**
   * The treatment of a longer word. `cut` (default) makes words of that length, so nothing is lost. `unknown` makes one
   * unknown token of it, as the reference does.
   */
  readonly longWords?: 'cut' | 'unknown'
}

/** The memory of texts up to this length, in UTF-16 units, is kept for the next text. */
const KEPT_UNITS = 2 ** 17

/**
 * BERT's WordPiece, with the position of each token in UTF-16 units.
 *
 * Each word is cut independently, so a map from words to pieces makes most of the work a scan and a look-up. Ids and
 * offsets agree with the Rust reference (`tokenizers` 0.23), except for long words (see `longWords`).
 */
export class WordPieceTokenizer implements Tokenizer {
  readonly specialTokens: number
  readonly unknownId: number
  readonly #cutter: WordCutter
  readonly #classes = new Uint8Array(0x110000)
  /** Matches a run that may have more characters than a word may have, once it is normalised. */
  readonly #longRun: RegExp
  readonly #addedStarts: ReadonlySet<number>
  /** A word of at most this many UTF-16 units is short enough, however it is normalised. */
  readonly #maxUncutUnits: number
  readonly #cache = new WordCache()
  /**
   * The hash of the latest run of known units. It is a field because the function already returns the end of the run.
   */
  readonly #hash = new Int32Array(1)
  #keptUnits = new Uint16Array()

  /** @param vocabulary the vocabulary of the options, if it is built already */
  constructor(
    private readonly options: WordPieceTokenizerOptions,
    vocabulary: WordPieceVocabulary = runAtOnce(buildVocabulary(options)),
  ) {
    this.specialTokens = options.specialTokens
    this.unknownId = vocabulary.unknownId
    const { maxWordCharacters, longWords = 'cut' } = options
    // Decomposed Hangul has up to three letters for each syllable.
    this.#maxUncutUnits = longWords === 'unknown' ? Number.POSITIVE_INFINITY : Math.floor(maxWordCharacters / 3)
    this.#cutter = new WordCutter(options, vocabulary)
    // U+FEFF is white space for a regular expression, and nothing for BERT.
    this.#longRun = new RegExp(`[\\S\uFEFF]{${Math.floor(options.maxWordCharacters / 3)}}`, 'u')
    this.#addedStarts = new Set(Object.keys(options.addedTokens).map((token) => token.charCodeAt(0)))
  }

  /** Like the constructor, but does not block the event loop while it builds the vocabulary. */
  static async create(options: WordPieceTokenizerOptions): Promise<WordPieceTokenizer> {
    return new WordPieceTokenizer(options, await runInSlices(buildVocabulary(options)))
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
    if (this.options.longWords === 'unknown' || !this.#longRun.test(text)) return text
    const { count, starts, ends } = this.split(text)
    const parts: string[] = []
    let from = 0
    for (let word = 1; word < count; word += 1) {
      const end = ends[word - 1] ?? 0
      // Only a cut run has two words of letters without a gap: punctuation is a word of its own.
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

  #scan(text: string, words: WordSink): void {
    const units = this.#readUnits(text)
    const classes = this.#classes
    const hash = this.#hash
    const length = text.length
    for (let at = 0; at < length; ) {
      const start = at
      at = findEndOfKnown(units, classes, at, length, hash)
      if (at < length && classes[units[at] ?? 0] === 0) {
        at = this.#findEndOfWord(text, units, at)
        hash[0] = hashOf(units, start, at)
      }
      if (at > start) this.#addWord(text, units, start, at, hash[0] ?? 0, words)
      if (at === length) return
      at = classes[units[at] ?? 0] === CODE_POINT_CLASS.space ? at + 1 : this.#addOther(text, units, at, words)
    }
  }

  /** Finds the end of a word that may continue with a code point that is not known yet. */
  #findEndOfWord(text: string, units: Uint16Array, from: number): number {
    let at = from
    while (at < text.length && this.#classes[units[at] ?? 0] === 0) {
      const width = this.#widthIfUnknownInWord(text, at)
      if (width === 0) return at
      at = findEndOfKnown(units, this.#classes, at + width, text.length, this.#hash)
    }
    return at
  }

  /**
   * Returns the number of units of a code point if it belongs to a word and is not known as such: a pair, or a new code
   * point. Otherwise 0.
   */
  #widthIfUnknownInWord(text: string, at: number): number {
    const codePoint = text.codePointAt(at) ?? 0
    return this.#kindOf(codePoint) === CODE_POINT_CLASS.word ? widthOf(codePoint) : 0
  }

  /** Adds a code point that is in no word, or a special token that starts with it. @returns the offset behind it */
  #addOther(text: string, units: Uint16Array, at: number, words: WordSink): number {
    const codePoint = text.codePointAt(at) ?? 0
    const end = at + widthOf(codePoint)
    if (this.#kindOf(codePoint) !== CODE_POINT_CLASS.alone) return end
    const added = this.#addedStarts.has(codePoint) ? this.#findAddedToken(text, at) : undefined
    if (added === undefined) {
      this.#add(text, units, at, end, hashOf(units, at, end), words)
      return end
    }
    const token = makeWholeToken(this.options.addedTokens[added] ?? 0, added.length)
    words.add(at, at + added.length, 1, this.#cache.addOnce(token))
    return at + added.length
  }

  /** Returns the UTF-16 units of a text, valid until the next text. Older units may follow them. */
  #readUnits(text: string): Uint16Array {
    if (this.#keptUnits.length < text.length) {
      const units = new Uint16Array(text.length)
      if (text.length <= KEPT_UNITS) this.#keptUnits = units
      return copyUnits(text, units)
    }
    return copyUnits(text, this.#keptUnits)
  }

  #isInsideRun(text: string, at: number): boolean {
    const before = text.codePointAt(at - 1) ?? 0
    const last = before >= 0xdc00 && before < 0xe000 ? (text.codePointAt(at - 2) ?? before) : before
    return (
      this.#kindOf(last) === CODE_POINT_CLASS.word && this.#kindOf(text.codePointAt(at) ?? 0) === CODE_POINT_CLASS.word
    )
  }

  /** Most words are short, so this method has only the code that they need. */
  #addWord(text: string, units: Uint16Array, start: number, end: number, hash: number, words: WordSink): void {
    if (end - start <= this.#maxUncutUnits) this.#add(text, units, start, end, hash, words)
    else this.#addLongWord(text, units, start, end, words)
  }

  #addLongWord(text: string, units: Uint16Array, start: number, end: number, words: WordSink): void {
    let from = start
    for (const to of this.#cutter.findPartEnds(text, start, end)) {
      this.#add(text, units, from, to, hashOf(units, from, to), words)
      from = to
    }
  }

  #add(text: string, units: Uint16Array, start: number, end: number, hash: number, words: WordSink): void {
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
    const kind = classify(codePoint, this.options.normalizer)
    // Half of a pair is not stored: it is a code point only if it stands alone, which is rare.
    if (codePoint < 0xd800 || codePoint > 0xdfff) this.#classes[codePoint] = kind
    return kind
  }

  #findAddedToken(text: string, at: number): string | undefined {
    return Object.keys(this.options.addedTokens).find((token) => text.startsWith(token, at))
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
 * Finds the end of a run of units that are known parts of a word. Also writes their hash, which is cheapest to compute
 * here. A separate function, because inline code takes twice as long.
 */
function findEndOfKnown(
  units: Uint16Array,
  classes: Uint8Array,
  from: number,
  length: number,
  hash: Int32Array,
): number {
  let at = from
  let runHash = 0
  for (; at < length; at += 1) {
    const unit = units[at] ?? 0
    if (classes[unit] !== CODE_POINT_CLASS.word) break
    runHash = extendHash(runHash, unit)
  }
  hash[0] = runHash
  return at
}

/** Returns the width of a code point in UTF-16 units. */
function widthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1
}

function makeWholeToken(id: number, length: number): WordPieces {
  return { ids: [id], starts: [0], ends: [length] }
}

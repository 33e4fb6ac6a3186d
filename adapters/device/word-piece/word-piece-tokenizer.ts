import { type Encoding, TimeSlice, type WordSpans } from '../../../src/ports/index.js'
import { type DeviceTokenizer, type InputOptions, tooLongError } from '../device-tokenizer.js'
import { CODE_POINT_CLASS, classify } from './code-points.js'
import { readTokenizerFile, type TokenizerFile } from './tokenizer-file.js'
import { extendHash, hashOf, SpanList, TokenCount, TokenList, WordCache, type WordSink } from './word-cache.js'
import { WordCutter } from './word-cutter.js'
import type { WordPieces } from './word-piece-vocabulary.js'

/**
 * The treatment of a word that is longer than WordPiece reads. `cut` makes words of that length, so nothing is lost.
 * `unknown` makes one unknown token of it, as the reference does.
 */
type LongWords = 'cut' | 'unknown'

/** The memory of texts up to this length, in UTF-16 units, is kept for the next text. */
const KEPT_UNITS = 2 ** 17

/**
 * BERT's WordPiece, with the position of each token in UTF-16 units.
 *
 * Each word is cut independently, so a map from words to pieces makes most of the work a scan and a look-up. Ids and
 * offsets agree with the Rust reference (`tokenizers` 0.23), except for long words (see {@link LongWords}).
 */
export class WordPieceTokenizer implements DeviceTokenizer {
  readonly specialTokens = 2
  readonly hasEnded = false
  /** Encoding takes no time beside the model. */
  readonly textsPerCall: number = Number.POSITIVE_INFINITY
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

  private constructor(private readonly file: TokenizerFile) {
    const { vocabulary, maxWordCharacters, addedTokens } = file
    this.unknownId = vocabulary.unknownId
    // Decomposed Hangul has up to three letters for each syllable.
    this.#maxUncutUnits = Math.floor(maxWordCharacters / 3)
    this.#cutter = new WordCutter(file)
    // U+FEFF is white space for a regular expression, and nothing for BERT.
    this.#longRun = new RegExp(`[\\S\uFEFF]{${this.#maxUncutUnits}}`, 'u')
    this.#addedStarts = new Set(Object.keys(addedTokens).map((token) => token.charCodeAt(0)))
  }

  /**
   * Reads a `tokenizer.json`. It does not block the event loop while it builds the vocabulary.
   *
   * @throws ModelError `ERR_MODEL_UNSUPPORTED` for any tokenizer but BERT's WordPiece
   */
  static async open(file: Buffer): Promise<WordPieceTokenizer> {
    return new WordPieceTokenizer(await readTokenizerFile(file))
  }

  /** Does nothing: other engines may use the tokenizer, and it has no thread. */
  async close(): Promise<void> {
    await Promise.resolve()
  }

  split(text: string): WordSpans {
    const spans = new SpanList(text.length)
    this.#scan(text, spans)
    return spans
  }

  encode(text: string, longWords: LongWords = 'cut'): Encoding {
    const tokens = new TokenList(this.#cache)
    this.#scan(text, tokens, longWords === 'cut' ? this.#maxUncutUnits : Number.POSITIVE_INFINITY)
    return tokens.toEncoding()
  }

  /** Long runs are already broken in the texts, so longer words are read as the reference reads them. */
  async inputs(
    texts: readonly string[],
    { prefix, windowTokens, firstRow, signal }: InputOptions,
  ): Promise<readonly Int32Array[]> {
    const { first, last } = this.file.special
    const slice = new TimeSlice()
    const inputs: Int32Array[] = []
    for (const text of texts) {
      const { ids } = this.encode(prefix + text, 'unknown')
      if (ids.length + this.specialTokens > windowTokens) throw tooLongError(firstRow + inputs.length, windowTokens)
      inputs.push(Int32Array.of(first, ...ids, last))
      await slice.pauseIfOver()
      signal.throwIfAborted()
    }
    return inputs
  }

  readable(text: string): string {
    if (!this.#longRun.test(text)) return text
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

  /** @param maxUncut a word of at most this many units is not cut */
  #scan(text: string, words: WordSink, maxUncut: number = this.#maxUncutUnits): void {
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
      // Most words are short.
      if (at > start && at - start <= maxUncut) this.#add(text, units, start, at, hash[0] ?? 0, words)
      else if (at > start) this.#addLongWord(text, units, start, at, words)
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
    const token = makeWholeToken(this.file.addedTokens[added] ?? 0, added.length)
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
    const kind = classify(codePoint, this.file.normalizer)
    // Half of a pair is not stored: it is a code point only if it stands alone, which is rare.
    if (codePoint < 0xd800 || codePoint > 0xdfff) this.#classes[codePoint] = kind
    return kind
  }

  #findAddedToken(text: string, at: number): string | undefined {
    return Object.keys(this.file.addedTokens).find((token) => text.startsWith(token, at))
  }
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

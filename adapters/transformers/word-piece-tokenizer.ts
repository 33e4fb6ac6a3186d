import type { Encoding, Tokenizer, WordSpans } from '../../src/ports/index.js'
import { CODE_POINT_CLASS, classify, type NormalizerOptions, normalize } from './code-points.js'
import { atOnce, inSlices, type Steps } from './steps.js'
import { type NormalizedWord, type WordPieces, WordPieceVocabulary } from './word-piece.js'

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
/** Words remembered at most; a text of random strings must not grow the memory. */
const MAX_REMEMBERED_WORDS = 100_000
/** Words longer than this are rare, and as keys they would cost more than they save. */
const MAX_REMEMBERED_LENGTH = 64

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
  #remembered = new Map<string, WordPieces>()

  /** @param vocabulary that of the options, where it has been built already */
  constructor(options: WordPieceTokenizerOptions, vocabulary: WordPieceVocabulary = atOnce(buildVocabulary(options))) {
    this.#options = options
    this.specialTokens = options.specialTokens
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
    this.#scan(text, (start, end, pieces) => spans.push(start, end, pieces.ids.length))
    return spans
  }

  encode(text: string): Encoding {
    const ids: number[] = []
    const starts: number[] = []
    const ends: number[] = []
    this.#scan(text, (start, _end, pieces) => {
      for (let index = 0; index < pieces.ids.length; index += 1) {
        ids.push(pieces.ids[index] ?? 0)
        starts.push(start + (pieces.starts[index] ?? 0))
        ends.push(start + (pieces.ends[index] ?? 0))
      }
    })
    return { ids: Int32Array.from(ids), starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) }
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
    let tokens = 0
    this.#scan(text, (_start, _end, pieces) => {
      tokens += pieces.ids.length
    })
    return tokens
  }

  #scan(text: string, visit: (start: number, end: number, pieces: WordPieces) => void): void {
    let start = -1
    let at = 0
    while (at < text.length) {
      const unit = text.charCodeAt(at)
      const codePoint = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(at) ?? unit) : unit
      const width = codePoint > 0xffff ? 2 : 1
      const kind = this.#kindOf(codePoint)
      if (kind === CODE_POINT_CLASS.word) {
        if (start < 0) start = at
      } else {
        if (start >= 0) this.#word(text, start, at, visit)
        start = -1
        if (kind === CODE_POINT_CLASS.alone) {
          const added = this.#addedStarts.has(unit) ? this.#addedTokenAt(text, at) : undefined
          if (added !== undefined) {
            visit(at, at + added.length, wholeToken(this.#options.addedTokens[added] ?? 0, added.length))
            at += added.length
            continue
          }
          visit(at, at + width, this.#pieces(text.slice(at, at + width)))
        }
      }
      at += width
    }
    if (start >= 0) this.#word(text, start, at, visit)
  }

  #isInsideRun(text: string, at: number): boolean {
    const before = text.codePointAt(at - 1) ?? 0
    const last = before >= 0xdc00 && before < 0xe000 ? (text.codePointAt(at - 2) ?? before) : before
    return (
      this.#kindOf(last) === CODE_POINT_CLASS.word && this.#kindOf(text.codePointAt(at) ?? 0) === CODE_POINT_CLASS.word
    )
  }

  #word(
    text: string,
    start: number,
    end: number,
    visit: (start: number, end: number, pieces: WordPieces) => void,
  ): void {
    const { maxWordCharacters, longWords = 'cut' } = this.#options
    // Decomposed Hangul has up to three letters a syllable: a third of the limit is always short enough.
    if (end - start <= maxWordCharacters / 3 || longWords === 'unknown') {
      visit(start, end, this.#pieces(text.slice(start, end)))
      return
    }
    let from = start
    let characters = 0
    for (let at = start; at < end; ) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      const length = codePointLength(this.#normalize(character))
      const isTooLong = characters + length > maxWordCharacters || at + character.length - from > MAX_WORD_UNITS
      if (isTooLong && at > from) {
        visit(from, at, this.#pieces(text.slice(from, at)))
        from = at
        characters = 0
      }
      characters += length
      at += character.length
    }
    visit(from, end, this.#pieces(text.slice(from, end)))
  }

  #pieces(word: string): WordPieces {
    const known = this.#remembered.get(word)
    if (known !== undefined) return known
    const normalized = this.#normalizeWord(word)
    const tooLong = codePointLength(normalized.text) > this.#options.maxWordCharacters
    const pieces = tooLong ? this.#vocabulary.unknown(normalized) : this.#vocabulary.cut(normalized)
    if (word.length <= MAX_REMEMBERED_LENGTH) {
      if (this.#remembered.size >= MAX_REMEMBERED_WORDS) this.#remembered = new Map()
      this.#remembered.set(detached(word), pieces)
    }
    return pieces
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
    const known = this.#classes[codePoint]
    if (known !== undefined && known !== 0) return known
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

/** Growing arrays of words; a text has at most as many words as UTF-16 units. */
class SpanList implements WordSpans {
  count = 0
  starts: Uint32Array
  ends: Uint32Array
  tokens: Uint16Array

  constructor(textLength: number) {
    const capacity = Math.min(textLength, Math.ceil(textLength / 4) + 16)
    this.starts = new Uint32Array(capacity)
    this.ends = new Uint32Array(capacity)
    this.tokens = new Uint16Array(capacity)
  }

  push(start: number, end: number, tokens: number): void {
    if (this.count === this.starts.length) this.#grow()
    this.starts[this.count] = start
    this.ends[this.count] = end
    this.tokens[this.count] = tokens
    this.count += 1
  }

  #grow(): void {
    const capacity = this.starts.length * 2
    const starts = new Uint32Array(capacity)
    const ends = new Uint32Array(capacity)
    const tokens = new Uint16Array(capacity)
    starts.set(this.starts)
    ends.set(this.ends)
    tokens.set(this.tokens)
    this.starts = starts
    this.ends = ends
    this.tokens = tokens
  }
}

/** A copy of a word: a slice would keep all of its text in memory. */
function detached(word: string): string {
  return Buffer.from(word, 'utf16le').toString('utf16le')
}

function wholeToken(id: number, length: number): WordPieces {
  return { ids: [id], starts: [0], ends: [length] }
}

function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

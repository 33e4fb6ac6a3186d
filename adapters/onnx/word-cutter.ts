import { type NormalizerOptions, normalize } from './code-points.js'
import type { Steps } from './steps.js'

/** The longest word in UTF-16 units, including characters that normalise to nothing. */
const MAX_WORD_UNITS = 512

interface WordCutterOptions {
  /** The longest word, in code points after normalising, that WordPiece cuts into pieces. */
  readonly maxWordCharacters: number
  readonly normalizer: NormalizerOptions
}

/** The pieces of one word, with offsets relative to the word's first UTF-16 unit. */
export interface WordPieces {
  readonly ids: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** A normalised word and, for each of its UTF-16 units, the offsets of its original code point. */
interface NormalizedWord {
  readonly text: string
  /** The start of the original code point, one entry for each unit of `text`. */
  readonly starts: readonly number[]
  /** The end of the original code point, one entry for each unit of `text`. */
  readonly ends: readonly number[]
}

/** Cuts words that the cache does not know: normalises them, and finds their pieces. */
export class WordCutter {
  readonly #normalizedCharacters = new Map<string, string>()

  constructor(
    private readonly options: WordCutterOptions,
    private readonly vocabulary: WordPieceVocabulary,
  ) {}

  /** Cuts a word into pieces. A word that is too long becomes one unknown token. */
  cut(word: string): WordPieces {
    const normalized = this.#normalizeWord(word)
    const isTooLong = codePointLength(normalized.text) > this.options.maxWordCharacters
    return isTooLong ? this.vocabulary.asUnknown(normalized) : this.vocabulary.cut(normalized)
  }

  /**
   * Finds the ends of the parts into which a long word is cut, as offsets in the text. Each part has as many characters
   * as a word may have.
   */
  findPartEnds(text: string, start: number, end: number): number[] {
    const ends: number[] = []
    let from = start
    let characters = 0
    for (let at = start; at < end; ) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      const length = codePointLength(this.#normalize(character))
      const isTooLong = characters + length > this.options.maxWordCharacters
      if ((isTooLong || at + character.length - from > MAX_WORD_UNITS) && at > from) {
        ends.push(at)
        from = at
        characters = 0
      }
      characters += length
      at += character.length
    }
    return [...ends, end]
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
    let normalized = this.#normalizedCharacters.get(character)
    if (normalized === undefined) {
      normalized = normalize(character, this.options.normalizer)
      this.#normalizedCharacters.set(character, normalized)
    }
    return normalized
  }
}

function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** The number of vocabulary entries that one step adds: about a millisecond. */
const ENTRIES_PER_STEP = 1_000

/** The vocabulary of a `tokenizer.json`, and WordPiece's look-up in it. */
export class WordPieceVocabulary {
  readonly unknownId: number

  private constructor(
    private readonly heads: ReadonlyMap<string, number>,
    private readonly tails: ReadonlyMap<string, number>,
    private readonly longest: number,
    unknownId: number,
  ) {
    this.unknownId = unknownId
  }

  static *build(
    vocabulary: Readonly<Record<string, number>>,
    unknownToken: string,
    continuingPrefix: string,
  ): Steps<WordPieceVocabulary> {
    const heads = new Map<string, number>()
    const tails = new Map<string, number>()
    let longest = 1
    for (const piece of Object.keys(vocabulary)) {
      const id = vocabulary[piece] ?? 0
      heads.set(piece, id)
      if (piece.startsWith(continuingPrefix)) tails.set(piece.slice(continuingPrefix.length), id)
      longest = Math.max(longest, piece.length)
      if (heads.size % ENTRIES_PER_STEP === 0) yield
    }
    return new WordPieceVocabulary(heads, tails, longest, heads.get(unknownToken) ?? 0)
  }

  /**
   * Cuts a word into the longest pieces of the vocabulary, from its start. A word with a part that has no piece is one
   * unknown token.
   *
   * Source: Schuster and Nakajima 2012; Devlin et al. 2018, `WordpieceTokenizer`.
   */
  cut(word: NormalizedWord): WordPieces {
    const { text } = word
    if (text === '') return { ids: [], starts: [], ends: [] }
    const ids: number[] = []
    const starts: number[] = []
    const ends: number[] = []
    for (let from = 0; from < text.length; ) {
      const pieces = from === 0 ? this.heads : this.tails
      let to = Math.min(text.length, from + this.longest)
      let id: number | undefined
      while (to > from && (id = pieces.get(text.slice(from, to))) === undefined) to -= 1
      if (id === undefined) return this.asUnknown(word)
      ids.push(id)
      starts.push(word.starts[from] ?? 0)
      ends.push(word.ends[to - 1] ?? 0)
      from = to
    }
    return { ids, starts, ends }
  }

  /** Makes one unknown token of the whole word. */
  asUnknown(word: NormalizedWord): WordPieces {
    return { ids: [this.unknownId], starts: [word.starts[0] ?? 0], ends: [word.ends.at(-1) ?? 0] }
  }
}

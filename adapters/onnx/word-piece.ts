import type { Steps } from './steps.js'

/** The pieces of one word, with offsets relative to the word's first UTF-16 unit. */
export interface WordPieces {
  readonly ids: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** A normalised word and, for each of its UTF-16 units, the offsets of its original code point. */
export interface NormalizedWord {
  readonly text: string
  /** The start of the original code point, one entry for each unit of `text`. */
  readonly starts: readonly number[]
  /** The end of the original code point, one entry for each unit of `text`. */
  readonly ends: readonly number[]
}

/** The number of vocabulary entries that one step adds: about a millisecond. */
const ENTRIES_PER_STEP = 1_000

/** The vocabulary of a `tokenizer.json`, and WordPiece's look-up in it. */
export class WordPieceVocabulary {
  readonly #heads: ReadonlyMap<string, number>
  readonly #tails: ReadonlyMap<string, number>
  readonly #longest: number
  readonly unknownId: number

  private constructor(
    heads: ReadonlyMap<string, number>,
    tails: ReadonlyMap<string, number>,
    longest: number,
    unknownId: number,
  ) {
    this.#heads = heads
    this.#tails = tails
    this.#longest = longest
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
      const pieces = from === 0 ? this.#heads : this.#tails
      let to = Math.min(text.length, from + this.#longest)
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

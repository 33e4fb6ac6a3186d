import type { TimeSlice } from '../../../src/ports/index.js'
import type { NormalizedWord } from '../normalized-word.js'

/** The pieces of one word, with offsets relative to the word's first UTF-16 unit. */
export interface WordPieces {
  readonly ids: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** The number of entries that are added between two looks at the clock: about a millisecond. */
const ENTRIES_PER_LOOK = 1_000

/** The vocabulary of a `tokenizer.json`, and WordPiece's look-up in it. */
export class WordPieceVocabulary {
  readonly unknownId: number

  private constructor(
    private readonly heads: ReadonlyMap<string, number>,
    private readonly tails: ReadonlyMap<string, number>,
    private readonly longest: number,
    unknownToken: string,
  ) {
    this.unknownId = heads.get(unknownToken) ?? 0
  }

  /** @returns undefined if an id is no whole number */
  static async build(
    entries: Readonly<Record<string, unknown>>,
    unknownToken: string,
    continuingPrefix: string,
    slice: TimeSlice,
  ): Promise<WordPieceVocabulary | undefined> {
    const heads = new Map<string, number>()
    const tails = new Map<string, number>()
    let longest = 1
    for (const piece of Object.keys(entries)) {
      const id = entries[piece]
      if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
      heads.set(piece, id)
      if (piece.startsWith(continuingPrefix)) tails.set(piece.slice(continuingPrefix.length), id)
      longest = Math.max(longest, piece.length)
      if (heads.size % ENTRIES_PER_LOOK === 0) await slice.pauseIfOver()
    }
    return new WordPieceVocabulary(heads, tails, longest, unknownToken)
  }

  idOf(token: string): number | undefined {
    return this.heads.get(token)
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

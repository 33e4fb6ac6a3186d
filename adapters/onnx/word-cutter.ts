import { type NormalizerOptions, normalize } from './code-points.js'
import type { NormalizedWord, WordPieces, WordPieceVocabulary } from './word-piece.js'

/** The longest word in UTF-16 units, including characters that normalise to nothing. */
const MAX_WORD_UNITS = 512

export interface WordCutterOptions {
  /** The longest word, in code points after normalising, that WordPiece cuts into pieces. */
  readonly maxWordCharacters: number
  readonly normalizer: NormalizerOptions
}

/** Cuts words that the cache does not know: normalises them, and finds their pieces. */
export class WordCutter {
  readonly #options: WordCutterOptions
  readonly #vocabulary: WordPieceVocabulary
  readonly #normalizedCharacters = new Map<string, string>()

  constructor(options: WordCutterOptions, vocabulary: WordPieceVocabulary) {
    this.#options = options
    this.#vocabulary = vocabulary
  }

  /** Cuts a word into pieces. A word that is too long becomes one unknown token. */
  cut(word: string): WordPieces {
    const normalized = this.#normalizeWord(word)
    const isTooLong = codePointLength(normalized.text) > this.#options.maxWordCharacters
    return isTooLong ? this.#vocabulary.asUnknown(normalized) : this.#vocabulary.cut(normalized)
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
      const isTooLong = characters + length > this.#options.maxWordCharacters
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
      normalized = normalize(character, this.#options.normalizer)
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

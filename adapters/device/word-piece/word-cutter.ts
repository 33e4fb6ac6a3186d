import { normalizeParts } from '../normalized-word.js'
import { normalize } from './code-points.js'
import type { TokenizerFile } from './tokenizer-file.js'
import type { WordPieces } from './word-piece-vocabulary.js'

/** The longest word in UTF-16 units, including characters that normalise to nothing. */
const MAX_WORD_UNITS = 512

/** Cuts words that the cache does not know: normalises them, and finds their pieces. */
export class WordCutter {
  readonly #normalizedCharacters = new Map<string, string>()

  constructor(private readonly file: TokenizerFile) {}

  /** Cuts a word into pieces. A word that is too long becomes one unknown token. */
  cut(word: string): WordPieces {
    const normalized = normalizeParts(word, (character) => this.#normalize(character))
    const { vocabulary, maxWordCharacters } = this.file
    const isTooLong = codePointLength(normalized.text) > maxWordCharacters
    return isTooLong ? vocabulary.asUnknown(normalized) : vocabulary.cut(normalized)
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
      const isTooLong = characters + length > this.file.maxWordCharacters
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

  #normalize(character: string): string {
    let normalized = this.#normalizedCharacters.get(character)
    if (normalized === undefined) {
      normalized = normalize(character, this.file.normalizer)
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

import { tooLongError } from '../device-tokenizer.js'
import type { ReadTokenizer } from './library.js'
import { placeTokens } from './token-positions.js'
import type { EncodeRequest, TokenizerFacts, WordTokens } from './tokenizer-protocol.js'
import { eachWord } from './words.js'

/** Words that show how a tokenizer reads a word behind a space. */
const SAMPLES = ['house', 'of', '1995', 'Über', 'x-ray']
/** Characters that only a vocabulary of bytes, or a very large one, has. */
const RARE = '\u{12000}\u{1D300}\u{1F9FF}'
/** The length from which on a text is encoded in pieces, in UTF-16 units: a piece takes some milliseconds. */
const PIECE_UNITS = 2_000
const SPACE_IN_TEXT = /(?<=\S) (?=\S)/g
const WARM_UP_WORDS = 500
const WITHOUT_SPECIAL = { add_special_tokens: false }

/** Encodes words and texts with a tokenizer of the library. */
export class LibraryEncoder {
  readonly facts: TokenizerFacts
  readonly #tokenizer: ReadTokenizer
  /** A space if a word behind a space has other tokens than a word at the start of a text. */
  readonly #contextPrefix: string
  readonly #isOfBytes: boolean
  readonly #before: readonly number[]
  readonly #after: readonly number[]

  constructor(tokenizer: ReadTokenizer) {
    this.#tokenizer = tokenizer
    const isInContext = (prefix: string) => SAMPLES.every((word) => this.#isTokensBehindSpace(word, prefix))
    this.#contextPrefix = isInContext('') ? '' : ' '
    const bare = this.#bare('a')
    const full = defined(tokenizer.encode('a').ids)
    const at = full.findIndex((_, index) => bare.every((id, offset) => full[index + offset] === id))
    this.#before = full.slice(0, Math.max(0, at))
    this.#after = full.slice(Math.max(0, at) + bare.length)
    const { model } = tokenizer
    const unknownId = model.unk_token_id
    const hasUnknown = unknownId !== undefined && this.#bare(RARE).includes(unknownId)
    this.#isOfBytes = !hasUnknown
    this.facts = {
      specialTokens: this.#before.length + this.#after.length,
      unknownId: hasUnknown ? unknownId : undefined,
      maxWordCharacters: model.max_input_chars_per_word,
    }
    this.#warmUp()
  }

  /** Counts the tokens of a word as it is read inside a text, behind a space. */
  count(word: string): number {
    return this.#wordIds(word).length
  }

  /** Returns the tokens of a word as it is read inside a text, with their positions. */
  read(word: string): WordTokens {
    const { ids, tokens } = this.#tokenizer.encode(this.#contextPrefix + word, WITHOUT_SPECIAL)
    const known = tokens.filter((_, index) => ids[index] !== undefined)
    const normalize = this.#tokenizer.normalizer ?? ((text: string) => text)
    return placeTokens(word, known, defined(ids), this.#isOfBytes, normalize)
  }

  /**
   * Encodes a text as the library does, special tokens included. The tokens between words, such as those of line breaks
   * in a vocabulary of bytes, may make it longer than the window although its words fit. Then it has the tokens of its
   * words alone: so a text whose words fit is never refused. It pauses between pieces.
   *
   * @param row the index of the text among the caller's texts
   * @throws InvalidInputError if the words do not fit either
   */
  *encode(
    { prefix, windowTokens }: Pick<EncodeRequest, 'prefix' | 'windowTokens'>,
    text: string,
    row: number,
  ): Generator<undefined, Int32Array, undefined> {
    const room = windowTokens - this.facts.specialTokens
    const whole: number[] = []
    for (const piece of this.#piecesOf(prefix + text)) {
      whole.push(...this.#bare(piece))
      // A text that is so much longer gets the tokens of its words, if these fit.
      if (whole.length > windowTokens * 4) break
      yield
    }
    if (whole.length <= room) return this.#withSpecial(whole)
    const words: number[] = []
    for (const part of [prefix, text]) {
      const spans: string[] = []
      eachWord(part, this.facts, (start, end) => spans.push(part.slice(start, end)))
      for (const [index, word] of spans.entries()) {
        words.push(...this.#wordIds(word))
        if (words.length > room) throw tooLongError(row, windowTokens)
        if (index % 100 === 99) yield
      }
    }
    return this.#withSpecial(words)
  }

  /** The first words take ten times as long as later ones, and a caller waits for those. */
  #warmUp(): void {
    for (let word = 0; word < WARM_UP_WORDS; word += 1) this.count(`${SAMPLES[word % SAMPLES.length]}${word}`)
  }

  #withSpecial(ids: readonly number[]): Int32Array {
    return Int32Array.from([...this.#before, ...ids, ...this.#after])
  }

  #wordIds(word: string): number[] {
    return this.#bare(this.#contextPrefix + word)
  }

  #bare(text: string): number[] {
    return defined(this.#tokenizer.encode(text, WITHOUT_SPECIAL).ids)
  }

  #isTokensBehindSpace(word: string, prefix: string): boolean {
    const together = this.#bare(`a ${word}`)
    const apart = [...this.#bare('a'), ...this.#bare(prefix + word)]
    return together.length === apart.length && together.every((id, index) => id === apart[index])
  }

  /** Cuts a long text at spaces between words. The pieces have the tokens of the text. */
  *#piecesOf(text: string): Generator<string> {
    let start = 0
    while (text.length - start > PIECE_UNITS) {
      SPACE_IN_TEXT.lastIndex = start + PIECE_UNITS
      const space = SPACE_IN_TEXT.exec(text)?.index
      if (space === undefined) break
      yield text.slice(start, space)
      start = space + 1 - this.#contextPrefix.length
    }
    yield text.slice(start)
  }
}

function defined(ids: readonly (number | undefined)[]): number[] {
  return ids.filter((id) => id !== undefined)
}

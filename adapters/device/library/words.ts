/** Limits of the words into which a text is cut. */
export interface WordLimits {
  /**
   * The longest word that WordPiece reads, in characters after normalising. Undefined for other tokenizers, which read
   * words of any length.
   */
  readonly maxWordCharacters: number | undefined
}

/**
 * The longest word, in UTF-16 units: a longer run without white space is cut. A chunk ends between words, so a higher
 * number makes worse cuts in scripts without spaces.
 */
const MAX_UNITS = 128
/** A script without spaces is cut after this many units, wherever it may be cut. */
const GOOD_UNITS = 24
/** A character from here on may become up to three when it is normalised, such as a Hangul syllable. */
const FIRST_DECOMPOSED = 0x300
const MOST_PARTS = 3

const RUN = /\S+/g
/** Thai, Lao, Tibetan, Burmese, Khmer, kana, Han, and full-width forms. */
const UNSPACED =
  /[\u0E00-\u0FFF\u1000-\u109F\u1780-\u17FF\u2E80-\uA4CF\uF900-\uFAFF\uFF00-\uFFEF\u{1B000}-\u{1B16F}\u{20000}-\u{3FFFF}]/u
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/u
const TERMINAL = /[。！？、，；：｡．]/u
/** A word never starts with one of these. */
const NO_START = /[\p{M}\u200D。！？、，；：｡．」』）】〉》’”]/u

/**
 * Calls `add` with the offsets of each word of a text, in order. A word is a run between white space, or a part of a run
 * that is long or of a script without spaces. The words from a word's start on depend only on the text from there on.
 */
export function eachWord(text: string, limits: WordLimits, add: (start: number, end: number) => void): void {
  RUN.lastIndex = 0
  for (let run = RUN.exec(text); run !== null; run = RUN.exec(text)) {
    const [word] = run
    if (isOneWord(word, limits)) add(run.index, run.index + word.length)
    else eachPart(word, limits, (start, end) => add(run.index + start, run.index + end))
  }
}

/**
 * Returns the text with a space wherever {@link eachWord} cut a run that WordPiece would read as one unknown token.
 */
export function breakLongRuns(text: string, limits: WordLimits): string {
  const { maxWordCharacters: max } = limits
  if (max === undefined) return text
  return text.replaceAll(RUN, (run) => {
    if (run.length * MOST_PARTS <= max || costOf(run) <= max) return run
    const parts: string[] = []
    eachPart(run, limits, (start, end) => parts.push(run.slice(start, end)))
    return parts.join(' ')
  })
}

/** True if {@link eachPart} would not cut the run. */
function isOneWord(run: string, { maxWordCharacters: max }: WordLimits): boolean {
  const fits = run.length <= MAX_UNITS && (max === undefined || run.length * MOST_PARTS <= max || costOf(run) <= max)
  return fits && !(run.length < GOOD_UNITS ? TERMINAL : UNSPACED).test(run)
}

/** The most characters of a run after normalising. */
function costOf(run: string): number {
  let cost = 0
  for (const character of run) cost += costOfCharacter(character)
  return cost
}

function costOfCharacter(character: string): number {
  return (character.codePointAt(0) ?? 0) >= FIRST_DECOMPOSED ? MOST_PARTS : 1
}

function eachPart(run: string, limits: WordLimits, add: (start: number, end: number) => void): void {
  const { maxWordCharacters: max = Number.POSITIVE_INFINITY } = limits
  let start = 0
  let cost = 0
  /** The last place in this part between a mark of punctuation and another character, where a cut does least harm. */
  let good = 0
  let before = ''
  /** True behind the end of a sentence and its closing marks. */
  let isEnd = false
  for (let at = 0; at < run.length; ) {
    const character = String.fromCodePoint(run.codePointAt(at) ?? 0)
    const isTooLong = at + character.length - start > MAX_UNITS || cost + costOfCharacter(character) > max
    if (at > start && (isTooLong || mayCut(isEnd, before, character, at - start))) {
      const end = isTooLong && good > start ? good : at
      add(start, end)
      start = end
      at = end
      cost = 0
      before = ''
      isEnd = false
      continue
    }
    if (at > start && PUNCTUATION.test(before) && !NO_START.test(character)) good = at
    cost += costOfCharacter(character)
    at += character.length
    before = character
    isEnd = TERMINAL.test(character) || (isEnd && NO_START.test(character))
  }
  if (start < run.length) add(start, run.length)
}

/** True between two characters of a script without spaces where a word ends. */
function mayCut(isEnd: boolean, before: string, after: string, units: number): boolean {
  if (NO_START.test(after)) return false
  return isEnd || (units >= GOOD_UNITS && (UNSPACED.test(before) || UNSPACED.test(after)))
}

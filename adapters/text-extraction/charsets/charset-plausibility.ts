import { isCapital, isEuropean, isLatin, isLetter, isLookalike, isSmall, isUnreadable } from './characters.js'
import { CANDIDATES, type Candidate, type EverydayBytes } from './charset-candidates.js'
import { decodeWhole } from './charset-decoder.js'
import { eastAsianBits } from './east-asian-rarity.js'
import { type Language, LETTERS, MARKS } from './letter-frequencies.js'

/** How surprising a text is when its bytes are read in an encoding. */
export interface Reading {
  readonly name: string
  /** Of all characters outside ASCII together; the less, the likelier. */
  readonly bits: number
}

const UNREADABLE_BITS = 24
const FOREIGN_BITS = 12
const RARE_LETTER_BITS = 6.5
const ODD_BITS = 7
const COMMON_MARKS = new Set(MARKS.slice(0, 13))
const WESTERN_LETTERS = new Set('àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßœ')
/** What follows and what precedes an apostrophe within a word of English or French. */
const AFTER_APOSTROPHE = /^(?:s|t|d|m|re|ve|ll|em|n)(?![a-z])/i
const BEFORE_APOSTROPHE = /(?:^|[^\p{L}])(?:[cdjlmnstod]|qu|jusqu|lorsqu|puisqu|aujourd|dell|all|un|nell|sull)$/iu

/** Reads bytes in every encoding that is known, the likeliest first. */
export function readings(bytes: Uint8Array): Reading[] {
  return CANDIDATES.map((candidate) => ({
    name: candidate.name,
    bits: candidate.rarityBits + surprise(decodeWhole(candidate.name, bytes), candidate),
  })).sort((one, other) => one.bits - other.bits)
}

/** Bits of each character outside ASCII of a text, in the language that fits best; 0 where there is none. */
export function plausibility(text: string): number {
  const foreign = text.replaceAll(/[\0-\x7F]/g, '').length
  if (foreign === 0) return 0
  return Math.min(...CANDIDATES.map((candidate) => surprise(text, candidate))) / foreign
}

function surprise(text: string, candidate: Candidate): number {
  const letters = new Map<string, number>()
  let bits = 0
  let previous = ' '
  /** Latin letters outside ASCII one after the other. */
  let run = 0
  const marks = new Set<string>()
  const characters = Array.from(text)
  characters.forEach((character, index) => {
    if (character >= '\u0080') {
      if (isLetter(character) && candidate.everyday === undefined) {
        const lower = character.toLowerCase()
        letters.set(lower, (letters.get(lower) ?? 0) + 1)
        bits += inWordBits(character, previous, characters[index + 1] ?? ' ')
        run = isLatin(character) ? run + 1 : 0
        if (run > 1) bits += Math.min(run - 1, 3) * 1.5
      } else {
        run = 0
        // Who has written a mark once writes it again.
        const isAgain = marks.has(character)
        bits += isAgain ? 2.5 : signBits(character, previous, characters, index, candidate.everyday)
        if (COMMON_MARKS.has(character)) marks.add(character)
      }
    } else run = 0
    previous = character
  })
  return bits + lettersBits(letters, candidate)
}

/** In the language that fits best. */
function lettersBits(letters: ReadonlyMap<string, number>, { languages, everyday }: Candidate): number {
  if (letters.size === 0 || everyday !== undefined) return 0
  let least = Number.POSITIVE_INFINITY
  const isWestern = languages.includes('french')
  const known = new Set(languages.flatMap((language) => [...ranksOf(language).keys()]))
  for (const language of languages) {
    const ranks = ranksOf(language)
    let bits = 0
    for (const [letter, count] of letters) {
      const isKnown = known.has(letter) || (isWestern && WESTERN_LETTERS.has(letter))
      const other = isKnown ? RARE_LETTER_BITS : FOREIGN_BITS
      bits += count * (ranks.get(letter) ?? other)
    }
    least = Math.min(least, bits)
  }
  return least
}

const ranked = new Map<Language, ReadonlyMap<string, number>>()

/** The bits of each letter of a language: they are distributed as words are, by Zipf. */
function ranksOf(language: Language): ReadonlyMap<string, number> {
  const known = ranked.get(language)
  if (known !== undefined) return known
  const bits = new Map(
    Array.from(LETTERS[language], (letter, rank) => [letter.toLowerCase(), Math.log2(3 * (rank + 2))]),
  )
  ranked.set(language, bits)
  return bits
}

/** In a wrong encoding, capitals stand inside words, and scripts are mixed in them. */
function inWordBits(character: string, previous: string, next: string): number {
  let bits = 0
  const isAlone = !isLetter(previous) && !isLetter(next)
  if (isAlone && !/[àèéòó]/i.test(character)) bits += isLatin(character) ? 4 : 2
  // Vietnamese tone marks stand on vowels.
  if (/[\u0300-\u036F]/.test(character) && !/[aeiouyăâêôơưà-ý]/i.test(previous)) bits += ODD_BITS
  if (isCapital(character)) {
    bits += isSmall(previous) ? ODD_BITS : isCapital(previous) ? 0.5 : 1.5
  } else if (isCapital(previous) && isCapital(next)) bits += ODD_BITS / 2
  if (isSmall(character) && isCapital(next)) bits += ODD_BITS / 2
  if (!isLatin(character)) {
    for (const beside of [previous, next]) {
      // Typists take the Latin letters that look like Cyrillic and Greek ones.
      if (/[A-Za-z]/.test(beside)) bits += isLookalike(beside) && isEuropean(character) ? 2 : ODD_BITS
    }
  }
  return bits
}

function signBits(
  character: string,
  previous: string,
  characters: readonly string[],
  index: number,
  everyday: EverydayBytes | undefined,
): number {
  if (isUnreadable(character)) return UNREADABLE_BITS
  const next = characters[index + 1] ?? ' '
  if (everyday !== undefined) return eastAsianBits(character, everyday) + (isStray(previous, next) ? ODD_BITS : 0)
  // Lines and rules are drawn with one character.
  if (character === previous) return 2
  if (character === '\u00A0') return 3
  const rank = MARKS.indexOf(character)
  const bits = rank < 0 ? FOREIGN_BITS : 4 + Math.log2(rank + 1) / 2
  const besides = Number(isLetter(previous)) + Number(isLetter(next))
  if (besides < 2) return besides === 1 && !/[’“”–—«»…‘„·©®°§¿¡ºª™†‚‹›]/.test(character) ? bits + 5 : bits
  if (character === '’' || character === '´') {
    const isKnown =
      AFTER_APOSTROPHE.test(characters.slice(index + 1, index + 4).join('')) ||
      BEFORE_APOSTROPHE.test(characters.slice(Math.max(0, index - 9), index).join(''))
    return isKnown ? bits : bits + 3
  }
  return bits + (/[–—·…]/.test(character) ? 2 : ODD_BITS)
}

/** Alone in a Latin word. */
function isStray(previous: string, next: string): boolean {
  return previous < '\u0080' && next < '\u0080' && /[a-z]/i.test(previous + next)
}

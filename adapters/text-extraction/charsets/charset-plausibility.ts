import { isCapital, isEuropean, isLatin, isLetter, isLookalike, isSmall, isUnreadable } from './characters.js'
import { CANDIDATES, type Candidate, type EverydayBytes } from './charset-candidates.js'
import { decodeWhole } from './charset-decoder.js'
import { eastAsianBits } from './east-asian-rarity.js'
import { type Language, LETTERS, MARKS } from './letter-frequencies.js'

/** The improbability of a text if its bytes are read in one encoding. */
export interface Reading {
  readonly name: string
  /** The sum for all characters outside ASCII. A smaller sum is more likely. */
  readonly bits: number
}

const UNREADABLE_BITS = 24
const FOREIGN_BITS = 12
const RARE_LETTER_BITS = 6.5
const ODD_BITS = 7
const COMMON_MARKS = new Set(MARKS.slice(0, 13))
const WESTERN_LETTERS = new Set('àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßœ')
/** The text after and before an apostrophe in a word of English or French. */
const AFTER_APOSTROPHE = /^(?:s|t|d|m|re|ve|ll|em|n)(?![a-z])/i
const BEFORE_APOSTROPHE = /(?:^|[^\p{L}])(?:[cdjlmnstod]|qu|jusqu|lorsqu|puisqu|aujourd|dell|all|un|nell|sull)$/iu

/** Reads bytes in every known encoding. @returns the readings, the most likely first */
export function readings(bytes: Uint8Array): Reading[] {
  return CANDIDATES.map((candidate) => ({
    name: candidate.name,
    bits: candidate.rarityBits + surpriseBits(decodeWhole(candidate.name, bytes), candidate),
  })).sort((first, second) => first.bits - second.bits)
}

/** The bits for each character outside ASCII, in the language that fits best. 0 for a text of ASCII only. */
export function bitsPerCharacter(text: string): number {
  const nonAsciiCount = text.replaceAll(/[\0-\x7F]/g, '').length
  if (nonAsciiCount === 0) return 0
  return Math.min(...CANDIDATES.map((candidate) => surpriseBits(text, candidate))) / nonAsciiCount
}

function surpriseBits(text: string, candidate: Candidate): number {
  const letters = new Map<string, number>()
  let bits = 0
  let previous = ' '
  /** The number of consecutive Latin letters outside ASCII. */
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
        // A text that uses a mark once often uses it more times.
        const isRepeated = marks.has(character)
        bits += isRepeated ? 2.5 : signBits(character, previous, characters, index, candidate.everyday)
        if (COMMON_MARKS.has(character)) marks.add(character)
      }
    } else run = 0
    previous = character
  })
  return bits + lettersBits(letters, candidate)
}

/** The bits of all letters in the language that fits best. */
function lettersBits(letters: ReadonlyMap<string, number>, { languages, everyday }: Candidate): number {
  if (letters.size === 0 || everyday !== undefined) return 0
  let minBits = Number.POSITIVE_INFINITY
  const isWestern = languages.includes('french')
  const known = new Set(languages.flatMap((language) => [...bitsOf(language).keys()]))
  for (const language of languages) {
    const letterBits = bitsOf(language)
    let bits = 0
    for (const [letter, count] of letters) {
      const isKnown = known.has(letter) || (isWestern && WESTERN_LETTERS.has(letter))
      const defaultBits = isKnown ? RARE_LETTER_BITS : FOREIGN_BITS
      bits += count * (letterBits.get(letter) ?? defaultBits)
    }
    minBits = Math.min(minBits, bits)
  }
  return minBits
}

const bitsOfLanguages = new Map<Language, ReadonlyMap<string, number>>()

/** The bits of each letter of a language. Letters follow Zipf's law, like words. */
function bitsOf(language: Language): ReadonlyMap<string, number> {
  const known = bitsOfLanguages.get(language)
  if (known !== undefined) return known
  const bits = new Map(
    Array.from(LETTERS[language], (letter, rank) => [letter.toLowerCase(), Math.log2(3 * (rank + 2))]),
  )
  bitsOfLanguages.set(language, bits)
  return bits
}

/** In a wrong encoding, words have capitals inside and mix scripts. */
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
      // Some people type Latin letters that look like Cyrillic or Greek ones.
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
  // A drawn line repeats one character.
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

/** True for a single character inside a Latin word. */
function isStray(previous: string, next: string): boolean {
  return previous < '\u0080' && next < '\u0080' && /[a-z]/i.test(previous + next)
}

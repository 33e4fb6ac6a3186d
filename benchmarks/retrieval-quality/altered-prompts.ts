import { seededRandom } from '../../test/seeded-random.js'

/** Words that may be mistyped, split or joined: people mistype long words, and a short one may become another. */
const LONG_WORD = /\p{L}{5,}/gu
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

type Random = () => number
type Alteration = (question: string, random: Random) => string

/** The ways in which people write the same question. */
export const ALTERATIONS: Readonly<Record<string, Alteration>> = {
  'one typing error': mistype,
  'two typing errors': (question, random) => mistype(mistype(question, random), random),
  'a space inside a word': splitWord,
  'two words joined': joinWords,
  'another form of a date': writeDate,
  'a greeting': (question) => `Hello, ${question}`,
  'lower case': (question) => question.toLowerCase(),
  'upper case': (question) => question.toUpperCase(),
  'no punctuation': (question) => question.replace(/[\p{P}\p{S}]+(?=\s|$)/gu, ''),
}

/** Alters a question. The same seed gives the same prompt. */
export function alter(question: string, alteration: Alteration, seed: number): string {
  return alteration(question, seededRandom(seed))
}

/** Swaps two letters of a word, or leaves one out, doubles it or writes another one. The first letter stays. */
function mistype(question: string, random: Random): string {
  return inWord(question, random, (word) => {
    const at = 1 + Math.floor(random() * (word.length - 2))
    const [before, letter, next, rest] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)]
    const kind = Math.floor(random() * 4)
    if (kind === 0) return before + next + letter + rest
    if (kind === 1) return before + next + rest
    if (kind === 2) return before + letter + letter + next + rest
    return before + LETTERS.charAt(Math.floor(random() * LETTERS.length)) + next + rest
  })
}

function splitWord(question: string, random: Random): string {
  return inWord(question, random, (word) => {
    const at = 2 + Math.floor(random() * (word.length - 3))
    return `${word.slice(0, at)} ${word.slice(at)}`
  })
}

/** Leaves out a space between two words. */
function joinWords(question: string, random: Random): string {
  const spaces = [...question.matchAll(/(?<=\p{L}{3}) (?=\p{L}{3})/gu)].map(({ index }) => index)
  const at = spaces[Math.floor(random() * spaces.length)]
  return at === undefined ? question : question.slice(0, at) + question.slice(at + 1)
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DATE = new RegExp(
  String.raw`\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTHS.join('|')})|(${MONTHS.join('|')}) (\d{1,2})(?:st|nd|rd|th)?),? (\d{4})\b`,
  'i',
)

/** Writes the first date of a question in numbers. */
function writeDate(question: string, random: Random): string {
  return question.replace(
    DATE,
    (_, day?: string, monthAfter?: string, monthBefore?: string, dayAfter?: string, year = '') => {
      const name = (monthAfter ?? monthBefore ?? '').toLowerCase()
      const month = MONTHS.findIndex((each) => each.toLowerCase() === name) + 1
      const [mm, dd] = [month, Number(day ?? dayAfter)].map((number) => String(number).padStart(2, '0'))
      const forms = [`${year}-${mm}-${dd}`, `${dd}.${mm}.${year}`, `${mm}/${dd}/${year}`]
      return forms[Math.floor(random() * forms.length)] ?? ''
    },
  )
}

/** Words, each with a letter of the acronym behind them. */
const EXPLAINED = /((?:[\p{L}-]+ ){1,6}[\p{L}-]+) \((\p{Lu}{2,6})\)/gu

/** @returns the acronyms that texts explain by the first letters of the words before them, with these words */
export function acronymsOf(texts: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const text of texts) {
    for (const [, before = '', acronym = ''] of text.matchAll(EXPLAINED)) {
      const words = before.split(/[ -]/).slice(-acronym.length)
      if (words.map((word) => word.charAt(0).toUpperCase()).join('') === acronym) found.set(acronym, words.join(' '))
    }
  }
  return found
}

/** Puts an acronym in the place of its words, or its words in the place of the acronym. */
export function exchangeAcronym(question: string, acronyms: ReadonlyMap<string, string>): string {
  for (const [acronym, words] of acronyms) {
    const at = question.toLowerCase().indexOf(words.toLowerCase())
    if (at >= 0) return question.slice(0, at) + acronym + question.slice(at + words.length)
    const short = new RegExp(String.raw`\b${acronym}\b`)
    if (short.test(question)) return question.replace(short, words)
  }
  return question
}

function inWord(question: string, random: Random, change: (word: string) => string): string {
  const words = [...question.matchAll(LONG_WORD)]
  const word = words[Math.floor(random() * words.length)]
  if (word === undefined) return question
  return question.slice(0, word.index) + change(word[0]) + question.slice(word.index + word[0].length)
}

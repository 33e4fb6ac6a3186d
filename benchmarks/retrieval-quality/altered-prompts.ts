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

function inWord(question: string, random: Random, change: (word: string) => string): string {
  const words = [...question.matchAll(LONG_WORD)]
  const word = words[Math.floor(random() * words.length)]
  if (word === undefined) return question
  return question.slice(0, word.index) + change(word[0]) + question.slice(word.index + word[0].length)
}

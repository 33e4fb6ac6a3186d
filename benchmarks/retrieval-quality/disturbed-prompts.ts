import { seededRandom } from '../../test/seeded-random.js'
import { CHAT, INSTRUCTIONS, type Language, STORY } from './prompt-sentences.js'

/** The text around a question: instructions for a model, small talk, or a story before or behind it. */
export const DISTURBANCES = ['instructions', 'chat', 'story'] as const

export type Disturbance = (typeof DISTURBANCES)[number]

/** Number of words around a question. */
const WORDS = 120

const POOLS: Readonly<Record<Disturbance, Readonly<Partial<Record<Language, readonly string[]>>>>> = {
  instructions: INSTRUCTIONS,
  chat: { en: CHAT },
  story: { en: STORY },
}

/**
 * Puts about 120 words around a question: before it, behind it, or on both sides. The same seed gives the same prompt.
 *
 * @param language the language of the words around the question
 */
export function disturb(question: string, disturbance: Disturbance, seed: number, language: Language = 'en'): string {
  const random = seededRandom(seed)
  const pool = POOLS[disturbance][language]
  if (pool === undefined) throw new Error(`there are no sentences for ${disturbance} in the language ${language}`)
  const sentences = drawSentences(pool, random, disturbance === 'story')
  const place = random()
  const from = place < 1 / 3 ? 0 : place < 2 / 3 ? sentences.length : Math.ceil(sentences.length / 2)
  const separator = random() < 0.5 ? ' ' : '\n'
  // A story is not cut in two.
  const at = disturbance === 'story' && from !== 0 ? sentences.length : from
  const label = disturbance === 'instructions' && random() < 0.3 ? 'Question: ' : ''
  const parts = [sentences.slice(0, at).join(' '), label + question, sentences.slice(at).join(' ')]
  return parts.filter((part) => part !== '').join(separator)
}

/** @returns sentences of about 120 words: in any order, or from one place on if their order counts */
function drawSentences(pool: readonly string[], random: () => number, isOrdered: boolean): string[] {
  const left = [...pool]
  const first = Math.floor(random() * pool.length)
  const drawn: string[] = []
  for (let words = 0; words < WORDS && drawn.length < pool.length; ) {
    const at = isOrdered ? (first + drawn.length) % pool.length : Math.floor(random() * left.length)
    const sentence = isOrdered ? pool[at] : left.splice(at, 1)[0]
    if (sentence === undefined) break
    drawn.push(sentence)
    words += sentence.split(' ').length
  }
  return drawn
}

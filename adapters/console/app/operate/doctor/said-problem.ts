import type { Schema } from '../../api/api.js'
import { useLanguage } from '../../texts/phrases.js'
import { GERMAN_PROBLEMS } from './german-problems.js'

type Problem = Schema<'DoctorProblem'>

interface SaidProblem {
  readonly problem: string
  readonly repair: string
  /** The server's sentences, if the others are not those. */
  readonly details: readonly string[]
}

/** A function that says a problem in the language of the user. The server's English sentences are whole by themselves. */
export function useSaidProblem(): (problem: Problem) => SaidProblem {
  const { language } = useLanguage()
  return ({ code, message, repair, isRepairable }) => {
    const german = language === 'de' ? GERMAN_PROBLEMS[code] : undefined
    if (german === undefined) return { problem: message, repair, details: [] }
    const [problem, repaired, byHand = repaired] = german
    return { problem, repair: isRepairable ? repaired : byHand, details: [message, repair] }
  }
}

import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { phrases, useLanguage, useTexts } from '../../texts/phrases.js'
import { Badge, ServerDetails } from '../../ui/notes.js'
import { GERMAN_PROBLEMS } from './german-problems.js'

type Problem = Schema<'DoctorProblem'>

const TEXTS = phrases({
  en: {
    subjects: {
      contextId: 'GPT',
      documentId: 'document',
      documentUuid: 'UUID',
      file: 'file',
      collection: 'collection',
      model: 'model',
      job: 'job',
    },
    whole: 'The whole installation',
    repairable: 'can be repaired',
    byHand: 'mend by hand',
  },
  de: {
    subjects: {
      contextId: 'GPT',
      documentId: 'Dokument',
      documentUuid: 'UUID',
      file: 'Datei',
      collection: 'Sammlung',
      model: 'Modell',
      job: 'Auftrag',
    },
    whole: 'Die ganze Installation',
    repairable: 'lässt sich reparieren',
    byHand: 'von Hand beheben',
  },
})

/** Lists the problems: the subject of each, and the way to mend it. */
export function ProblemList({ problems }: { readonly problems: readonly Problem[] }): ReactElement {
  const texts = useTexts(TEXTS)
  const saidProblem = useSaidProblem()
  const subjectOf = ({ subject }: Problem): string => {
    const parts = (Object.keys(texts.subjects) as (keyof Problem['subject'])[]).flatMap((member) =>
      subject[member] === undefined ? [] : [`${texts.subjects[member]} ${subject[member]}`],
    )
    return parts.length === 0 ? texts.whole : parts.join(', ')
  }
  return (
    <ol className="operate-entries">
      {problems.map((problem) => {
        const said = saidProblem(problem)
        return (
          <li key={JSON.stringify([problem.code, problem.subject, problem.message])} className="operate-entry">
            <p>
              <strong>{said.problem}</strong>{' '}
              <Badge kind={problem.isRepairable ? 'busy' : 'bad'}>
                {problem.isRepairable ? texts.repairable : texts.byHand}
              </Badge>
            </p>
            <p className="soft">{subjectOf(problem)}</p>
            <p>{said.repair}</p>
            {said.details.length > 0 && <ServerDetails sentences={said.details} />}
          </li>
        )
      })}
    </ol>
  )
}

interface SaidProblem {
  readonly problem: string
  readonly repair: string
  /** The server's sentences, if the others are not those. */
  readonly details: readonly string[]
}

/** A function that says a problem in the language of the user. The server's English sentences are whole by themselves. */
function useSaidProblem(): (problem: Problem) => SaidProblem {
  const { language } = useLanguage()
  return ({ code, message, repair, isRepairable }) => {
    const german = language === 'de' ? GERMAN_PROBLEMS[code] : undefined
    if (german === undefined) return { problem: message, repair, details: [] }
    const [problem, repaired, byHand = repaired] = german
    return { problem, repair: isRepairable ? repaired : byHand, details: [message, repair] }
  }
}

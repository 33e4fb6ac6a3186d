import type { HistoryMessage } from '../../dist/src/index.js'
import { ALTERATIONS, acronymsOf, alter, exchangeAcronym } from './altered-prompts.js'
import { DISTURBANCES, disturb } from './disturbed-prompts.js'
import type { Language } from './prompt-sentences.js'
import { type IngestedContext, withDocuments } from './retrieval-engine.js'
import { meanOf } from './retrieval-scores.js'
import { type DocumentQuestion, type DocumentSet, readDocumentSet } from './retrieval-sets.js'

/** The seed of the first question. Each further question has the next one. */
const SEED = 20_261_129

/** The sets with the languages of the instructions around their questions. */
const SETS: readonly { readonly name: string; readonly languages: readonly Language[] }[] = [
  { name: 'xquad-en', languages: ['en', 'de', 'es'] },
  { name: 'xquad-es', languages: ['es', 'en'] },
  { name: 'tydi-fi', languages: ['en', 'de'] },
  { name: 'locomo-chat', languages: ['en'] },
  { name: 'covidqa-papers', languages: ['en'] },
]
const FOLLOW_UPS = 'mtragun-chat'
const SETTINGS = { chunkSizeTokens: 1_000, overlap: 0.2 }
/** The most questions of a set: each is asked in a dozen forms. They are taken at even places. */
const MOST_QUESTIONS = 400
/** Documents and questions of a smoke test. */
const QUICK = 20

/** The share of the questions of a set whose best chunk is of a right document, as they are and with words around them. */
interface DisturbedScore {
  readonly collection: string
  readonly around: string
  readonly queries: number
  readonly score: number
  /** The score divided by that of the plain questions. */
  readonly stays: number
}

/**
 * Asks the questions of each set as they are, and within instructions, small talk and a story of 120 words each. Then asks
 * them as people write them: with typing errors, a space too many or too few, a greeting, in other cases, without
 * punctuation, with dates and acronyms in another form. The share of an alteration is that of the questions that it changes.
 */
export async function measureDisturbed(isQuick: boolean): Promise<readonly DisturbedScore[]> {
  const rows: DisturbedScore[] = []
  for (const { name, languages } of isQuick ? SETS.slice(0, 1) : SETS) {
    const { documents, questions: all } = await readSome(name, isQuick)
    const step = Math.max(1, all.length / MOST_QUESTIONS)
    const questions = all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
    rows.push(
      ...(await withDocuments(SETTINGS, documents, async (context) => {
        const plain = await hitRate(context, questions, ({ question }) => question)
        const scores: DisturbedScore[] = [row(name, 'nothing', questions, plain, plain)]
        for (const disturbance of DISTURBANCES) {
          for (const language of disturbance === 'instructions' ? languages : (['en'] as const)) {
            const promptOf = ({ question }: DocumentQuestion, at: number): string =>
              disturb(question, disturbance, SEED + at, language)
            const score = await hitRate(context, questions, promptOf)
            scores.push(row(name, `${disturbance} (${language})`, questions, score, plain))
          }
        }
        for (const [kind, promptOf] of alterationsFor(documents.map(({ content }) => content.toString()))) {
          const prompts = new Map(questions.map((question, at) => [question, promptOf(question.question, at)]))
          const changed = questions.filter((question) => prompts.get(question) !== question.question)
          if (changed.length === 0) continue
          const before = await hitRate(context, changed, ({ question }) => question)
          const score = await hitRate(context, changed, (question) => prompts.get(question) ?? '')
          scores.push(row(name, kind, changed, score, before))
        }
        return scores
      })),
    )
  }
  return rows
}

/** @returns ways to write a question, by their names */
function alterationsFor(
  texts: readonly string[],
): readonly [kind: string, promptOf: (question: string, at: number) => string][] {
  const acronyms = acronymsOf(texts)
  return [
    ...Object.entries(ALTERATIONS).map(([kind, alteration]): [string, (question: string, at: number) => string] => [
      kind,
      (question, at) => alter(question, alteration, SEED + at),
    ]),
    ['an acronym', (question) => exchangeAcronym(question, acronyms)],
  ]
}

/** Asks the last questions of conversations alone, and with the messages of the user before them. */
export async function measureFollowUps(): Promise<readonly DisturbedScore[]> {
  const { documents, questions } = await readSome(FOLLOW_UPS, false)
  return await withDocuments(SETTINGS, documents, async (context) => {
    const textOf = ({ question }: DocumentQuestion): string => question
    const alone = await hitRate(context, questions, textOf)
    const historyOf = ({ before = [] }: DocumentQuestion): readonly HistoryMessage[] =>
      before.map((content) => ({ role: 'user', content }))
    const score = await hitRate(context, questions, textOf, historyOf)
    return [
      row(FOLLOW_UPS, 'nothing', questions, alone, alone),
      row(FOLLOW_UPS, 'the history', questions, score, alone),
    ]
  })
}

async function readSome(name: string, isQuick: boolean): Promise<DocumentSet> {
  const { documents, questions } = (await readDocumentSet(name, 'text')) ?? { documents: [], questions: [] }
  if (!isQuick) return { documents, questions }
  const some = documents.slice(0, QUICK)
  const names = new Set(some.map(({ key }) => key))
  const answered = questions.filter(({ judged }) => [...judged.keys()].some((key) => names.has(key)))
  return { documents: some, questions: answered.slice(0, QUICK) }
}

async function hitRate(
  { session, contextId, chunks }: IngestedContext,
  questions: readonly DocumentQuestion[],
  promptOf: (question: DocumentQuestion, at: number) => string,
  historyOf: (question: DocumentQuestion) => readonly HistoryMessage[] = () => [],
): Promise<number> {
  const keys = new Map(chunks.map(({ id, key }) => [id, key]))
  const hits: number[] = []
  for (const [at, question] of questions.entries()) {
    const options = { topN: 5, scoreThreshold: 0, history: historyOf(question) }
    const [best] = await session.search(contextId, promptOf(question, at), options)
    hits.push(best !== undefined && question.judged.has(keys.get(best.id) ?? '') ? 1 : 0)
  }
  return meanOf(hits)
}

function row(
  collection: string,
  around: string,
  questions: readonly DocumentQuestion[],
  score: number,
  plain: number,
): DisturbedScore {
  return { collection, around, queries: questions.length, score, stays: meanOf([score / plain]) }
}

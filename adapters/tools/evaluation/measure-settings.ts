import { InvalidInputError, type SearchMode, type SearchResult, type Session } from '../../../src/index.js'
import { messageOf } from '../../../src/ports/index.js'
import { isCode } from '../../node-kit/index.js'
import type { AnsweredQuestion, ExpectedAnswer } from './expected-answers.js'
import { comparable, hasMostOf } from './passages.js'
import { median, type RetrievalScores, scorePositions } from './retrieval-scores.js'

/** A context to ask questions, with what every search of it gets. */
export interface SearchedContext {
  readonly session: Session
  readonly contextId: number
  /** Finds the id of a document in this context. @param id in the context that is evaluated */
  readonly idOf: (id: number) => number | undefined
}

interface MeasureOptions {
  readonly mode: SearchMode
  readonly topN: number
  readonly signal: AbortSignal | undefined
  readonly onQuestion: (done: number) => void
}

/** The results of one mode. */
export interface QuestionScores {
  /** One for each question, in their order. */
  readonly scores: readonly RetrievalScores[]
  readonly p50Ms: number
  /** Mean length of the texts of a search. */
  readonly characters: number
}

/**
 * Asks a context all questions, one after the other.
 *
 * @throws InvalidInputError with the place of a question that cannot be searched
 * @throws as `Session.search`
 */
export async function measureSettings(
  { session, contextId, idOf }: SearchedContext,
  questions: readonly AnsweredQuestion[],
  { mode, topN, signal, onQuestion }: MeasureOptions,
): Promise<QuestionScores> {
  const ask = async ({ question, place }: AnsweredQuestion): Promise<readonly SearchResult[]> => {
    try {
      return await session.search(contextId, question, { mode, topN, collapse: false, signal })
    } catch (error) {
      if (!isCode(error, 'ERR_INVALID_INPUT')) throw error
      throw new InvalidInputError(place, messageOf(error), { cause: error })
    }
  }
  // The first search loads the model and opens the indexes, which later ones need not do.
  if (questions[0] !== undefined) await ask(questions[0])
  const [scores, times]: [RetrievalScores[], number[]] = [[], []]
  let characters = 0
  for (const question of questions) {
    const startedMs = performance.now()
    const results = await ask(question)
    times.push(performance.now() - startedMs)
    characters += results.reduce((sum, { content }) => sum + content.length, 0)
    scores.push(scorePositions(positionsOf(question.answers, results, idOf), topN))
    onQuestion(scores.length)
  }
  return { scores, p50Ms: median(times), characters: characters / questions.length }
}

/** @returns for each answer the position of the first result that has it, from 1; Infinity if none has it */
function positionsOf(
  answers: readonly ExpectedAnswer[],
  results: readonly SearchResult[],
  idOf: SearchedContext['idOf'],
): number[] {
  const texts = results.map(({ docId, content }) => ({ docId, text: comparable(content) }))
  return answers.map(({ documentId, passage }) => {
    const id = idOf(documentId)
    const index = texts.findIndex(
      ({ docId, text }) => docId === id && (passage === undefined || hasMostOf(text, passage)),
    )
    return index === -1 ? Number.POSITIVE_INFINITY : index + 1
  })
}

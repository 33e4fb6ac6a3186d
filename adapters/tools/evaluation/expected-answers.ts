import { type Document, type DocumentChunk, InvalidInputError, type Session } from '../../../src/index.js'
import { pathsOf } from '../sync/sync-plan.js'
import type { EvaluationQuestion } from './evaluation.js'
import { comparable, passagesNotIn } from './passages.js'
import { MAX_QUESTIONS } from './read-questions.js'

/** An answer that a search must find. */
export interface ExpectedAnswer {
  /** Id of the document in the context that is evaluated. */
  readonly documentId: number
  /** In comparable form; undefined if any hit in the document counts. */
  readonly passage: string | undefined
}

/** A question with all answers that its rows name. */
export interface AnsweredQuestion {
  readonly question: string
  /** The place of its first row, for messages. */
  readonly place: string
  /** At least one. */
  readonly answers: readonly ExpectedAnswer[]
}

/** The limit of the prompt of a search. */
const MAX_QUESTION_CHARACTERS = 32_768
const MAX_PASSAGE_CHARACTERS = 10_000
const CHUNKS_AT_ONCE = 20

/**
 * Finds the document of each question, and checks that the passages are in these documents. Joins rows with the same
 * question.
 *
 * @param documents all documents of the context
 * @throws InvalidInputError that names the line, or the index, of the first question that is not valid
 */
export async function findAnswers(
  session: Session,
  documents: readonly Document[],
  questions: readonly EvaluationQuestion[],
): Promise<AnsweredQuestion[]> {
  const finder = new DocumentFinder(documents)
  const answered = rowsOf(questions).map((row) => ({ row, document: finder.find(row) }))
  await requirePassages(session, answered)
  const joined = new Map<string, { readonly place: string; readonly answers: Map<string, ExpectedAnswer> }>()
  for (const { row, document } of answered) {
    const known = joined.get(row.question) ?? { place: row.placeOf('question'), answers: new Map() }
    joined.set(row.question, known)
    known.answers.set(`${document.id} ${row.passage ?? ''}`, { documentId: document.id, passage: row.passage })
  }
  return [...joined].map(([question, { place, answers }]) => ({ question, place, answers: [...answers.values()] }))
}

/** A valid question. */
interface QuestionRow {
  readonly question: string
  readonly document: string
  /** In comparable form. */
  readonly passage: string | undefined
  /** The place of one of its values, for messages. */
  readonly placeOf: (column: 'question' | 'document' | 'passage') => string
}

/** Callers in plain JavaScript may pass any value. @throws InvalidInputError */
function rowsOf(questions: readonly EvaluationQuestion[]): QuestionRow[] {
  const untyped: unknown = questions
  if (!Array.isArray(untyped) || untyped.length === 0 || untyped.length > MAX_QUESTIONS)
    throw new InvalidInputError('questions', `must be a list of 1 to ${MAX_QUESTIONS} questions`)
  return questions.map(({ question, document, passage = '', line }, index) => {
    const placeOf = (column: string): string =>
      line === undefined ? `questions[${index}].${column}` : `line ${line}, column ${column}`
    requireText(question, placeOf('question'), MAX_QUESTION_CHARACTERS)
    requireText(document, placeOf('document'))
    if (passage !== '') requireText(passage, placeOf('passage'), MAX_PASSAGE_CHARACTERS)
    return {
      question: question.trim(),
      document: document.trim(),
      passage: passage === '' ? undefined : comparable(passage),
      placeOf,
    }
  })
}

function requireText(value: unknown, place: string, maxCharacters = Number.POSITIVE_INFINITY): void {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxCharacters) return
  const limit = Number.isFinite(maxCharacters) ? ` of at most ${maxCharacters} characters` : ''
  throw new InvalidInputError(place, `must be a text${limit}, not blank`)
}

/** Finds documents by the names that a person may use. */
class DocumentFinder {
  readonly #byName = new Map<string, Document[]>()
  readonly #byId: ReadonlyMap<string, Document>

  constructor(documents: readonly Document[]) {
    this.#byId = new Map(documents.map((document) => [String(document.id), document]))
    for (const document of documents) {
      const { uuid, displayName, originalName } = document
      for (const name of new Set([uuid, displayName, originalName, ...pathsOf(document)])) {
        const named = this.#byName.get(name.normalize('NFC'))
        if (named === undefined) this.#byName.set(name.normalize('NFC'), [document])
        else named.push(document)
      }
    }
  }

  /** @throws InvalidInputError if no document, or more than one, has the name; if the document is not completed */
  find({ document: name, placeOf }: QuestionRow): Document {
    const byId = this.#byId.get(name)
    const named = this.#byName.get(name.normalize('NFC')) ?? (byId === undefined ? [] : [byId])
    const [document, ...others] = named
    const fail = (problem: string): never => {
      throw new InvalidInputError(placeOf('document'), problem)
    }
    if (document === undefined)
      return fail(`the context has no document "${name}": "alcove documents" lists its documents`)
    if (others.length > 0)
      return fail(
        `several documents have the name "${name}": use an id, one of ${named.map(({ id }) => id).join(', ')}`,
      )
    if (document.completed !== null) return document
    const state = document.error === null ? 'is not processed yet: wait for it' : 'has failed: retry it'
    return fail(`the document "${name}" ${state}, or remove the row`)
  }
}

interface AnsweredRow {
  readonly row: QuestionRow
  readonly document: Document
}

/** Reads each document with passages once. @throws InvalidInputError for the first passage that its document lacks */
async function requirePassages(session: Session, answered: readonly AnsweredRow[]): Promise<void> {
  const passages = new Map<Document, Set<string>>()
  for (const { row, document } of answered) {
    if (row.passage === undefined) continue
    passages.set(document, (passages.get(document) ?? new Set()).add(row.passage))
  }
  const missing = new Map<Document, ReadonlySet<string>>()
  for (const [document, wanted] of passages) {
    missing.set(document, await passagesNotIn(chunksOf(session, document), wanted))
  }
  for (const { row, document } of answered) {
    if (row.passage === undefined || missing.get(document)?.has(row.passage) !== true) continue
    throw new InvalidInputError(
      row.placeOf('passage'),
      `${document.displayName} does not have this text: copy it from "alcove documents text ${document.uuid}"`,
    )
  }
}

async function* chunksOf({ documents }: Session, { uuid }: Document): AsyncGenerator<DocumentChunk> {
  let after: number | undefined
  do {
    const { items, nextAfter } = await documents.chunkPage(uuid, { limit: CHUNKS_AT_ONCE, after })
    yield* items
    after = nextAfter ?? undefined
  } while (after !== undefined)
}

import type { Checked, Problem, ProblemCode, ProblemSubject } from './problem.js'

/**
 * How something is mended.
 *
 * - `sweep`: by the sweep, which removes what belongs to nothing and makes missing jobs
 * - `process`: the document is processed again, from its bytes
 * - `index-words`: words are indexed again, from the stored chunks
 * - the others: as they say
 */
export type Mend =
  | 'sweep'
  | 'process'
  | 'index-words'
  | 'correct-size'
  | 'cancel-job'
  | 'remove-vectors'
  | 'remove-words'
  | 'remove-chunks'
  | 'drop-collection'
  | 'drop-words'
  | 'remove-uploads'

/** What one look has found. */
export interface Finding {
  readonly code: ProblemCode
  readonly subject: ProblemSubject
  readonly message: string
  /** Undefined where nothing mends it. */
  readonly mend?: Mend
  /** What to do about it; for what is mended there is a sentence of its own. */
  readonly advice?: string
}

const REPAIRS: Readonly<Record<Mend, string>> = {
  sweep: 'Repairing removes what belongs to nothing, and goes on with what was left undone.',
  process: 'Repairing processes the document again, from the bytes as they were received.',
  'index-words': 'Repairing indexes the words again, from the chunks that are stored.',
  'correct-size': 'Repairing corrects the size in the record.',
  'cancel-job': 'Repairing removes the job.',
  'remove-vectors': 'Repairing removes the vectors.',
  'remove-words': 'Repairing removes the words.',
  'remove-chunks': 'Repairing removes the chunks.',
  'drop-collection': 'Repairing removes these vectors; those that are needed are made again from the documents.',
  'drop-words': 'Repairing removes these words, and indexes them again from the chunks that are stored.',
  'remove-uploads': 'Repairing removes the records.',
}

export function toProblem({ code, subject, message, mend, advice = '' }: Finding, isRepaired: boolean): Problem {
  const repair = mend === undefined ? advice : REPAIRS[mend]
  return { code, subject, message, repair, isRepairable: mend !== undefined, isRepaired }
}

/** Two findings with one key are of the same thing. */
export function keyOf({ code, subject, message }: Finding): string {
  // Sentences of the database are all that tells its problems apart.
  return JSON.stringify([code, subject, code === 'database-damaged' ? message : ''])
}

/** Those of the findings that another look has too, as that one tells of them. */
export function stillFound(before: readonly Finding[], now: readonly Finding[]): Finding[] {
  const keys = new Set(before.map(keyOf))
  return now.filter((finding) => keys.has(keyOf(finding)))
}

/** What one look at everything, or at what was found before, is doing. */
export interface Look {
  /** Whether bytes are hashed and vectors read, not only counted. */
  readonly isThorough: boolean
  readonly signal: AbortSignal
  /** What was found before; undefined where everything is looked at. */
  readonly only?: readonly Finding[]
  readonly found: Finding[]
  readonly checked: { -readonly [Member in keyof Checked]: number }
  readonly onDocuments: (documents: number) => void
}

export function newLook(options: Pick<Look, 'isThorough' | 'signal' | 'only' | 'onDocuments'>): Look {
  const [contexts, documents, files, bytes, chunks] = [0, 0, 0, 0, 0]
  const [windows, collections, vectors, wordCollections, indexedChunks] = [0, 0, 0, 0, 0]
  const indexed = { windows, collections, vectors, wordCollections, indexedChunks }
  const checked = { contexts, documents, files, bytes, chunks, ...indexed, jobs: 0, models: 0 }
  return { ...options, found: [], checked }
}

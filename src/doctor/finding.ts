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

/**
 * What can be wrong. Stable; callers may switch on it.
 *
 * - `database-damaged`: the database's own checks, or its tables, are not as they must be
 * - `model-unusable`: files of an embedding model are missing, or not the ones its profile names
 * - `model-unknown`: a context was made with a model that this engine does not have
 * - `quota-exceeded`: the documents of a context have more bytes than its `maxSizeBytes`
 * - `file-missing`: a document's bytes are not in the file store
 * - `file-changed`: a document's bytes are not the ones that were received
 * - `file-without-document`: bytes that belong to no document and no upload
 * - `size-wrong`: a document's bytes are right, and its record has another size
 * - `state-invalid`: a record says that its document is completed and has failed
 * - `chunks-wrong`: the stored chunks of a completed document are not all there
 * - `chunks-without-document`: chunks that belong to no document
 * - `vectors-missing`, `vectors-surplus`: fewer, or more, vectors than the windows of a completed document
 * - `vectors-invalid`: a vector that cannot be one of the document's
 * - `vectors-without-document`: vectors of a document that is not in that context
 * - `collection-unreadable`: vectors of a context that the index cannot read
 * - `collection-without-context`: vectors of a context that is not there
 * - `collection-of-other-model`: vectors of a context that its model has not made, so that nothing finds them
 * - `words-missing`, `words-surplus`: fewer, or more, chunks of a completed document in the word index than it has; of a
 *   context: documents whose words are not indexed, and will not be
 * - `words-without-document`: words of a document that is not in that context
 * - `words-unreadable`: words of a context that the word index cannot read
 * - `words-without-context`: words of a context that is not there
 * - `words-of-other-version`: words of a context that an older version of the engine has made, which nothing reads and
 *   nothing is going to remove; no damage
 * - `job-missing`: a document is neither processed nor waiting for it
 * - `job-surplus`: a job for a document that is completed or has failed
 * - `job-without-subject`: a job for something that is not there
 * - `purge-missing`: what was deleted is not gone from the disk, and no job removes it
 * - `upload-left-over`: uploads that ended without an end, and still have their record
 */
export type ProblemCode =
  | 'database-damaged'
  | 'model-unusable'
  | 'model-unknown'
  | 'quota-exceeded'
  | 'file-missing'
  | 'file-changed'
  | 'file-without-document'
  | 'size-wrong'
  | 'state-invalid'
  | 'chunks-wrong'
  | 'chunks-without-document'
  | 'vectors-missing'
  | 'vectors-surplus'
  | 'vectors-invalid'
  | 'vectors-without-document'
  | 'collection-unreadable'
  | 'collection-without-context'
  | 'collection-of-other-model'
  | 'words-missing'
  | 'words-surplus'
  | 'words-without-document'
  | 'words-unreadable'
  | 'words-without-context'
  | 'words-of-other-version'
  | 'job-missing'
  | 'job-surplus'
  | 'job-without-subject'
  | 'purge-missing'
  | 'upload-left-over'

/** What a problem is about. Only what applies is there. */
export interface ProblemSubject {
  readonly contextId?: number
  readonly documentId?: number
  /** The document's `fileName`, which is the key of its bytes. */
  readonly documentUuid?: string
  /** Key in the file store. */
  readonly file?: string
  /** Name in the vector index, or in the word index. */
  readonly collection?: string
  /** Id of an embedding model. */
  readonly model?: string
  /** Kind of a job, whose subject is the document or the context. */
  readonly job?: string
}

/** Something that is wrong. */
export interface Problem {
  readonly code: ProblemCode
  readonly subject: ProblemSubject
  /** One sentence for people. */
  readonly message: string
  /** What repairing does; where it can do nothing, what to do. */
  readonly repair: string
  /** Whether repairing can mend it. */
  readonly isRepairable: boolean
  /** Whether it was mended, and seen to be. */
  readonly isRepaired: boolean
}

/** How much was looked at. */
export interface Checked {
  readonly contexts: number
  /** Documents that are not deleted. */
  readonly documents: number
  /** Files of documents, and their bytes. */
  readonly files: number
  readonly bytes: number
  readonly chunks: number
  readonly windows: number
  /** Collections of vectors. */
  readonly collections: number
  readonly vectors: number
  /** Collections of words, and the chunks of which they have the words. */
  readonly wordCollections: number
  readonly indexedChunks: number
  readonly jobs: number
  readonly models: number
}

/** What a verification found. */
export interface VerifyReport {
  /** Whether nothing is wrong, or nothing is any more. */
  readonly isHealthy: boolean
  readonly checked: Checked
  readonly problems: readonly Problem[]
}

/** How far a verification is. */
export interface VerifyProgress {
  readonly stage: 'checking' | 'repairing'
  /** Documents that are done in this stage. */
  readonly documents: number
  /** Documents to be repaired; null while it is checked. */
  readonly total: number | null
}

export interface VerifyOptions {
  /** Whether to mend what can be mended, and to wait for it; default false: nothing is changed. */
  readonly repair?: boolean
  readonly signal?: AbortSignal
  /** Told how far it is, often. */
  readonly onProgress?: (progress: VerifyProgress) => void
}

import type { ContextLanguages } from '../documents/index.js'

export interface VerifyOptions {
  /** True to repair what can be repaired, and to wait for it. Default: false, nothing is changed. */
  readonly repair?: boolean
  readonly signal?: AbortSignal
  /** Receives the progress, often. */
  readonly onProgress?: (progress: VerifyProgress) => void
}

/** The progress of a verification. */
export interface VerifyProgress {
  readonly stage: 'checking' | 'repairing'
  /** Documents that this stage has done. */
  readonly documents: number
  /** Documents to be repaired; null while checking. */
  readonly total: number | null
}

/** The result of a verification. */
export interface VerifyReport {
  /** True if no problem exists, or all were repaired. */
  readonly isHealthy: boolean
  readonly checked: Checked
  readonly problems: readonly Problem[]
  /** Remarks about data that are in order. They do not change `isHealthy`. */
  readonly notices: readonly Notice[]
}

/** A remark of a verification: nothing is wrong, and the operator may want to do something. */
export interface Notice {
  /** `language-unknown`: documents are in a language that the model of their context does not know. */
  readonly code: 'language-unknown'
  readonly subject: Pick<ProblemSubject, 'contextId' | 'model'>
  /** One sentence for people. */
  readonly message: string
  /** The commands to run, and what they cost. */
  readonly advice: string
  /** The same as data: the languages of the context, and the commands. */
  readonly languages: ContextLanguages
}

/** Counts of the checked items. */
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
  /** Collections of words, and the chunks whose words they contain. */
  readonly wordCollections: number
  readonly indexedChunks: number
  readonly jobs: number
  readonly models: number
}

/** A problem that a verification found. */
export interface Problem {
  readonly code: ProblemCode
  readonly subject: ProblemSubject
  /** One sentence for people. */
  readonly message: string
  /** The effect of a repair; for a problem without one, what the operator can do. */
  readonly repair: string
  /** True if the engine can repair it. */
  readonly isRepairable: boolean
  /** True if the engine repaired it, and a second check confirmed that. */
  readonly isRepaired: boolean
}

/**
 * The kinds of problems. They are stable; callers may switch on them.
 *
 * - `database-damaged`: the database's own checks fail, or its tables are wrong
 * - `model-unusable`: files of an embedding model are missing, or differ from those that its profile names
 * - `model-unknown`: a context uses a model that this engine does not have
 * - `quota-exceeded`: the documents of a context have more bytes than its `maxSizeBytes`
 * - `file-missing`: the file store does not have a document's bytes
 * - `file-changed`: a document's bytes are not the bytes that were received
 * - `file-without-document`: bytes that belong to no document and no upload
 * - `size-wrong`: a document's bytes are right, but its record has another size
 * - `state-invalid`: a record says that its document is completed and has failed
 * - `chunks-wrong`: some stored chunks of a completed document are missing
 * - `chunks-without-document`: chunks that belong to no document
 * - `vectors-missing`, `vectors-surplus`: fewer, or more, vectors than the windows of a completed document
 * - `vectors-invalid`: a vector that cannot belong to the document
 * - `vectors-without-document`: vectors of a document that the context does not have
 * - `collection-unreadable`: vectors of a context that the index cannot read
 * - `collection-without-context`: vectors of a context that does not exist
 * - `collection-of-other-model`: vectors of a context that another model made; no search finds them
 * - `words-missing`, `words-surplus`: the word index has fewer, or more, chunks of a completed document than the
 *   document. A context has documents whose words are not indexed, and no job indexes them
 * - `words-without-document`: words of a document that the context does not have
 * - `words-unreadable`: words of a context that the word index cannot read
 * - `words-without-context`: words of a context that does not exist
 * - `words-of-other-version`: words of a context that an older version of the engine made. No search reads them and no
 *   job removes them; they are no damage
 * - `job-missing`: a document is not processed, and no job waits for it
 * - `job-surplus`: a job for a document that is completed or has failed
 * - `job-without-subject`: a job for a document or context that does not exist
 * - `purge-missing`: deleted data is still on the disk, and no job removes it
 * - `upload-left-over`: uploads that were interrupted, and still have their record
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

/** The subject of a problem. Only the members that apply are present. */
export interface ProblemSubject {
  readonly contextId?: number
  /** Id of the document. For data without a document: the id under which it is stored. */
  readonly documentId?: number
  /** The `fileName` of the document or of its replacement, which is the key of its bytes. */
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

/** One problem, as one check run found it. */
export interface Finding {
  readonly code: ProblemCode
  readonly subject: ProblemSubject
  /** Id of the version of the document. Default: `subject.documentId`. */
  readonly versionId?: number
  readonly message: string
  /** The message without names of folders, contexts and documents, for readers elsewhere. Default: `message`. */
  readonly remoteMessage?: string
  /** Undefined if the engine cannot repair it. */
  readonly repairKind?: RepairKind
  /** The action that the operator can take. Findings with a repair kind have a fixed sentence instead. */
  readonly advice?: string
}

/**
 * The action that repairs a finding.
 *
 * - `sweep`: the sweep removes orphans and creates missing jobs
 * - `process`: the document is processed a second time, from its bytes
 * - `index-words`: words are indexed a second time, from the stored chunks
 * - the others: as their names say
 */
export type RepairKind =
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

const REPAIR_SENTENCES: Readonly<Record<RepairKind, string>> = {
  sweep: 'Repairing removes orphans, and resumes unfinished work.',
  process: 'Repairing processes the document a second time, from the bytes as they were received.',
  'index-words': 'Repairing indexes the words a second time, from the stored chunks.',
  'correct-size': 'Repairing corrects the size in the record.',
  'cancel-job': 'Repairing removes the job.',
  'remove-vectors': 'Repairing removes the vectors.',
  'remove-words': 'Repairing removes the words.',
  'remove-chunks': 'Repairing removes the chunks.',
  'drop-collection': 'Repairing removes these vectors, and computes those that are needed from the documents.',
  'drop-words': 'Repairing removes these words, and indexes them from the stored chunks.',
  'remove-uploads': 'Repairing removes the records.',
}

const LEFTOVERS: ReadonlySet<ProblemCode> = new Set([
  'file-without-document',
  'vectors-without-document',
  'collection-without-context',
  'words-without-document',
  'words-without-context',
  'words-of-other-version',
  'job-missing',
  'purge-missing',
  'upload-left-over',
])

/** True for a problem that a killed process may leave, and that the next sweep of an engine mends without a command. */
export function isLeftover({ code, subject }: Pick<Problem, 'code' | 'subject'>): boolean {
  return LEFTOVERS.has(code) || (code === 'words-missing' && subject.job !== undefined)
}

export function toProblem({ code, subject, message, repairKind, advice = '' }: Finding, isRepaired: boolean): Problem {
  const repair = repairKind === undefined ? advice : REPAIR_SENTENCES[repairKind]
  return { code, subject, message, repair, isRepairable: repairKind !== undefined, isRepaired }
}

/** The finding with an advice to the operator in place of its repair. */
export function withoutRepair({ repairKind: _, ...finding }: Finding, advice: string): Finding {
  return { ...finding, advice }
}

/** The finding with the message for readers elsewhere. */
export function forRemote(finding: Finding): Finding {
  return { ...finding, message: finding.remoteMessage ?? finding.message }
}

/** The id under which the data that the finding is about is stored; `undefined` if it is not about a document. */
export function versionIdOf({ versionId, subject }: Finding): number | undefined {
  return versionId ?? subject.documentId
}

/** Two findings with the same key are the same problem. */
export function keyOf({ code, subject, message }: Finding): string {
  // Problems of the database differ only in their sentences.
  return JSON.stringify([code, subject, code === 'database-damaged' ? message : ''])
}

/** The findings of the second check that the first one has too, in the words of the second one. */
export function stillFound(before: readonly Finding[], now: readonly Finding[]): Finding[] {
  const keys = new Set(before.map(keyOf))
  return now.filter((finding) => keys.has(keyOf(finding)))
}

/** One run of all checks: of everything, or of earlier findings. */
export interface CheckRun {
  /** True if the run hashes bytes and reads vectors. Otherwise it only counts them. */
  readonly isThorough: boolean
  readonly signal: AbortSignal
  /** The earlier findings to check a second time; undefined if the run checks everything. */
  readonly recheck?: readonly Finding[]
  /** The checks add their findings here. */
  readonly findings: Finding[]
  readonly notices: Notice[]
  readonly checked: { -readonly [Member in keyof Checked]: number }
  readonly onDocuments: (documents: number) => void
}

export function newCheckRun(options: Pick<CheckRun, 'isThorough' | 'signal' | 'recheck' | 'onDocuments'>): CheckRun {
  const [contexts, documents, files, bytes, chunks] = [0, 0, 0, 0, 0]
  const [windows, collections, vectors, wordCollections, indexedChunks] = [0, 0, 0, 0, 0]
  const indexed = { windows, collections, vectors, wordCollections, indexedChunks }
  const checked = { contexts, documents, files, bytes, chunks, ...indexed, jobs: 0, models: 0 }
  return { ...options, findings: [], notices: [], checked }
}

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { ClosedError, type Document, InvalidInputError, type Session } from '../../../src/index.js'
import { messageOf, refuseUnknownMembers } from '../../../src/ports/index.js'
import { isCode } from '../../node-kit/index.js'
import { type FileFilter, FileHashes, type FolderFile, listFolder, matcherOf } from './folder-files.js'
import { type HashedFile, PATH_KEY, pathOf, planSync } from './sync-plan.js'

export interface SyncOptions extends FileFilter {
  /** True to delete the documents of the context that have no file in the folder. Default: false. */
  readonly delete?: boolean | undefined
  /** Called for each file that is done, and for each removed document. */
  readonly onFile?: ((file: SyncedFile) => void) | undefined
  /** Stops the synchronisation, which then rejects with the signal's reason. Changes that are done by then stay. */
  readonly signal?: AbortSignal | undefined
}

/** The result for one file, or for one document without a file. */
export interface SyncedFile {
  /** Path below the folder, with `/` between its parts; the document's name if it was made from no file of a folder. */
  readonly path: string
  readonly outcome: keyof SyncSummary
  /** UUID of the file's document; undefined if the file has none. */
  readonly uuid: string | undefined
  /** The reason of a failure: one sentence. */
  readonly error?: string
}

/** Counts of files, and of documents that were removed. */
export interface SyncSummary {
  readonly added: number
  readonly replaced: number
  readonly removed: number
  readonly unchanged: number
  /** Files that could not be read, stored or processed. Their documents, if they have some, stay. */
  readonly failed: number
}

/** Files that are read, stored or processed at the same time. */
const FILES_AT_ONCE = 8

/**
 * Makes a context what a folder is: adds the documents of new files, replaces those of changed files, and with `delete`
 * removes those without a file. Files are compared by their bytes, so a second run changes nothing. Returns once all
 * changes are processed.
 *
 * The metadata of a document keeps the path of its file under the key `path`. A document without a path belongs to a
 * file with the same name. Hidden files, links, folders named `node_modules`, and documents whose paths the filter
 * leaves out are left alone.
 *
 * @param folder the path of the folder
 * @throws InvalidInputError if the folder is not a folder, or a glob is empty
 * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
 * @throws ForbiddenError if the principal may not write documents
 * @throws the error of the system if the folder, or one below it, cannot be read; nothing changes then
 */
export async function syncFolder(
  session: Session,
  contextId: number,
  folder: string,
  options: SyncOptions = {},
): Promise<SyncSummary> {
  return await new FolderSync(session, contextId, folder, options).run()
}

/** Synchronises one folder, once or again and again. */
export class FolderSync {
  readonly #session: Session
  readonly #contextId: number
  readonly #folder: string
  readonly #options: SyncOptions
  readonly #isSelected: (path: string) => boolean
  readonly #hashes = new FileHashes()

  constructor(session: Session, contextId: number, folder: string, options: SyncOptions) {
    this.#session = session
    this.#contextId = contextId
    this.#folder = folder
    this.#options = options
    refuseUnknownMembers(options, ['include', 'exclude', 'delete', 'onFile', 'signal'], 'option')
    for (const name of ['include', 'exclude'] as const) requireGlobs(name, options[name])
    this.#isSelected = matcherOf(options)
  }

  async run(): Promise<SyncSummary> {
    const counts = { added: 0, replaced: 0, removed: 0, unchanged: 0, failed: 0 }
    const report = (file: SyncedFile): void => {
      counts[file.outcome] += 1
      this.#options.onFile?.(file)
    }
    await this.#requireFolder()
    const documents = await this.#listDocuments()
    const files = await listFolder(this.#folder, this.#isSelected)
    this.#hashes.keepOnly(files)
    const { hashed, unreadable } = await this.#hashAll(files)
    const plan = planSync(hashed, documents)
    for (const file of unreadable) report(file)
    await this.#runAll(
      plan.unchanged.map(
        ({ file, document }) =>
          async () =>
            report(await this.#keep(file, document)),
      ),
    )
    for (const { file, document } of plan.moved) await this.#setPath(document, file.path)
    const unreadablePaths = new Set(unreadable.map(({ path }) => path))
    const extra = plan.extra.filter((document) => {
      const path = pathOf(document) ?? document.originalName
      return this.#isSelected(path) && !unreadablePaths.has(path)
    })
    // Removed first, so that the quota of the context has room for the new files.
    if (this.#options.delete === true) for (const document of extra) report(await this.#remove(document))
    await this.#runAll(
      plan.replace.map(
        ({ file, document }) =>
          async () =>
            report(await this.#store(file, document)),
      ),
    )
    // Last: a new file with the name and the bytes of an old version would find that version as an existing document.
    await this.#runAll(plan.add.map((file) => async () => report(await this.#store(file))))
    return counts
  }

  async #requireFolder(): Promise<void> {
    const found = await stat(this.#folder).catch(() => undefined)
    if (found === undefined) throw new InvalidInputError('folder', `${this.#folder} does not exist, or cannot be read`)
    if (!found.isDirectory()) throw new InvalidInputError('folder', `${this.#folder} is not a folder`)
  }

  async #listDocuments(): Promise<Document[]> {
    const documents: Document[] = []
    for await (const document of this.#session.documents.entries(this.#contextId)) documents.push(document)
    return documents
  }

  async #hashAll(files: readonly FolderFile[]): Promise<{ hashed: HashedFile[]; unreadable: SyncedFile[] }> {
    const [hashed, unreadable]: [HashedFile[], SyncedFile[]] = [[], []]
    for (const file of files) {
      this.#options.signal?.throwIfAborted()
      try {
        hashed.push({ ...file, sha256: await this.#hashes.of(file) })
      } catch (error) {
        unreadable.push(toFailed(file.path, undefined, error))
      }
    }
    return { hashed, unreadable }
  }

  /** Runs changes side by side. The first error that ends the synchronisation stops those that have not begun. */
  async #runAll(changes: readonly (() => Promise<void>)[]): Promise<void> {
    const atOnce = pLimit(FILES_AT_ONCE)
    try {
      await Promise.all(
        changes.map((change) =>
          atOnce(async () => {
            this.#options.signal?.throwIfAborted()
            await change()
          }),
        ),
      )
    } finally {
      atOnce.clearQueue()
    }
  }

  /** Uploads a file, as a new document or in place of one, and waits until it is processed. */
  async #store({ path, name, systemPath }: HashedFile, document?: Document): Promise<SyncedFile> {
    const { documents } = this.#session
    const { signal } = this.#options
    let uuid: string | undefined
    try {
      // A replacement keeps the metadata of its document.
      if (document !== undefined && pathOf(document) !== path) await this.#setPath(document, path)
      const file = {
        fileName: name,
        content: createReadStream(systemPath),
        ...(document === undefined && { metadata: { [PATH_KEY]: path } }),
      }
      const cancellable = signal === undefined ? {} : { signal }
      uuid =
        document === undefined
          ? await documents.upload(this.#contextId, file, cancellable)
          : await documents.replace(reference(document), file, cancellable)
      await documents.whenProcessed(uuid, cancellable)
      return { path, outcome: document === undefined ? 'added' : 'replaced', uuid }
    } catch (error) {
      if (endsAll(error, signal)) throw error
      return toFailed(path, uuid, error)
    }
  }

  /**
   * The result for a file whose document has its bytes. Waits for a document that an interrupted run has stored. The
   * failure of a document is shown in each run, until its file changes.
   */
  async #keep({ path }: HashedFile, document: Document): Promise<SyncedFile> {
    const { uuid, error } = document.replacement ?? document
    if (error !== null) return { path, outcome: 'failed', uuid: document.uuid, error }
    const { signal } = this.#options
    try {
      const isWaiting = document.replacement !== null || document.completed === null
      const cancellable = signal === undefined ? {} : { signal }
      if (isWaiting) await this.#session.documents.whenProcessed(reference(document), cancellable)
      return { path, outcome: 'unchanged', uuid }
    } catch (reason) {
      if (endsAll(reason, signal)) throw reason
      return toFailed(path, document.uuid, reason)
    }
  }

  async #setPath(document: Document, path: string): Promise<void> {
    await this.#session.documents.update(reference(document), { metadata: { [PATH_KEY]: path } })
  }

  async #remove(document: Document): Promise<SyncedFile> {
    const path = pathOf(document) ?? document.displayName
    try {
      await this.#session.documents.delete(reference(document))
      return { path, outcome: 'removed', uuid: document.uuid }
    } catch (error) {
      if (endsAll(error, this.#options.signal)) throw error
      return toFailed(path, document.uuid, error)
    }
  }
}

/** @throws InvalidInputError unless the value is undefined or a list of globs */
function requireGlobs(name: string, globs: unknown): void {
  const isGlob = (glob: unknown): boolean => typeof glob === 'string' && glob.trim() !== ''
  if (globs === undefined || (Array.isArray(globs) && globs.every(isGlob))) return
  throw new InvalidInputError(name, 'must be a list of globs such as handbook/**/*.md')
}

function reference({ contextId, id }: Document): { readonly contextId: number; readonly id: number } {
  return { contextId, id }
}

function toFailed(path: string, uuid: string | undefined, error: unknown): SyncedFile {
  return { path, outcome: 'failed', uuid, error: messageOf(error) }
}

/** True for an error that is not about one file. */
function endsAll(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted === true || error instanceof ClosedError) return true
  return isCode(error, 'ERR_CONTEXT_NOT_FOUND', 'ERR_FORBIDDEN')
}

import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import pLimit from 'p-limit'
import { AlcoveError, ClosedError, type Document, InvalidInputError, type Session } from '../../../src/index.js'
import { messageOf, refuseUnknownMembers, shownName } from '../../../src/ports/index.js'
import { type FolderFile, isCode, listFolder, openFolderFile } from '../../node-kit/index.js'
import { type FileFilter, FileHashes, matcherOf } from './folder-files.js'
import { type FileGroup, type HashedFile, type KnownGroup, nameOf, PATH_KEY, pathsOf, planSync } from './sync-plan.js'

export interface SyncOptions extends FileFilter {
  /** True to delete the documents of the context that have no file in the folder. Default: false. */
  readonly delete?: boolean | undefined
  /**
   * True to let `delete` remove all documents if the folder has no file that can be read, and more than ten documents of a
   * folder below it that has no entry. Such a folder may be one that is not mounted. Default: false.
   */
  readonly allowEmpty?: boolean | undefined
  /** Called for each file that is done, and for each removed document. */
  readonly onFile?: ((file: SyncedFile) => void) | undefined
  /**
   * Called for each reason for which a document has to wait: the server of its model is away, or a disk is full or
   * read-only. The synchronisation goes on once that is over. An error that this function throws fails the file.
   */
  readonly onWaiting?: ((reason: AlcoveError) => void) | undefined
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
  /** True for a failure of the moment, such as a full disk: the next synchronisation takes the file again. */
  readonly isTransient?: boolean
}

/** Counts of files, and of documents that were removed. */
export interface SyncSummary {
  readonly added: number
  /** Files that changed or were renamed. */
  readonly replaced: number
  readonly removed: number
  readonly unchanged: number
  /** Files that could not be read, stored or processed. Their documents, if they have some, stay. */
  readonly failed: number
}

/**
 * The most documents that a run removes because a folder below the synchronised one has become empty. With more of them,
 * a share that is not mounted is likelier than a user who deleted the files and left their folder.
 */
const MOST_OF_EMPTY_FOLDER = 10

/** Files that are read, stored or processed at the same time. */
const FILES_AT_ONCE = 8

/**
 * Makes a context what a folder is: adds the documents of new files, replaces those of changed files, and with `delete`
 * removes those without a file. Files are compared by their bytes, so a second run changes nothing. Returns once all
 * changes are processed.
 *
 * The metadata of a document keeps the path of its file under the key `path`, or a list of the paths of files with the same
 * name and bytes. A file that was moved or renamed keeps its document. A document without a path belongs to a file with
 * the same name. Hidden files, links, folders named `node_modules`, and documents whose paths the filter leaves out are
 * left alone.
 *
 * @param folder the path of the folder
 * @throws InvalidInputError if the folder is not a folder, or a glob is empty. Also if `delete` would remove documents
 *   although the folder has no file that can be read, or more than ten of a folder below it that has no entry; nothing
 *   changes then
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
  readonly #isSelected: (path: string) => boolean
  readonly #hashes = new FileHashes()

  constructor(
    private readonly session: Session,
    private readonly contextId: number,
    private readonly folder: string,
    private readonly options: SyncOptions,
  ) {
    refuseUnknownMembers(
      options,
      ['include', 'exclude', 'pictures', 'delete', 'allowEmpty', 'onFile', 'onWaiting', 'signal'],
      'option',
    )
    for (const name of ['include', 'exclude'] as const) requireGlobs(name, options[name])
    this.#isSelected = matcherOf(options)
  }

  async run(): Promise<SyncSummary> {
    const counts = { added: 0, replaced: 0, removed: 0, unchanged: 0, failed: 0 }
    const report = (file: SyncedFile): void => {
      counts[file.outcome] += 1
      this.options.onFile?.(file)
    }
    await this.#requireFolder()
    const documents = await this.#listDocuments()
    const empty: string[] = []
    const onEmpty = (path: string): void => void empty.push(path)
    const files = await listFolder(this.folder, { isSelected: this.#isSelected, onEmpty })
    this.#hashes.keepOnly(files)
    const { hashed, unreadable } = await this.#hashAll(files)
    const unreadablePaths = new Set(unreadable.map(({ path }) => path))
    const plan = planSync(hashed, documents, {
      isUnknown: (path) => !this.#isSelected(path) || unreadablePaths.has(path),
      renamesUploaded: this.options.delete === true,
    })
    if (this.options.delete === true) this.#requireEmptyAllowed(plan.extra, hashed.length === 0, empty)
    for (const file of unreadable) report(file)
    const runAll = async <Group extends FileGroup>(
      groups: readonly Group[],
      settle: (group: Group) => Promise<readonly SyncedFile[]>,
    ): Promise<void> => {
      await this.#runAll(groups.map((group) => async () => (await settle(group)).forEach(report)))
    }
    await runAll(plan.unchanged, async (group) => await this.#keep(group))
    // Removed first, so that the quota of the context has room for the new files.
    if (this.options.delete === true) for (const document of plan.extra) report(await this.#remove(document))
    const [renamed, changed] = [plan.replace.filter(isRenamed), plan.replace.filter((group) => !isRenamed(group))]
    for await (const groups of this.#renameTurns(renamed)) {
      await runAll(groups, async (group) => await this.#store(group, group.document))
    }
    await runAll(changed, async (group) => await this.#store(group, group.document))
    // Last: a new file with the name and the bytes of an old version would find that version as an existing document.
    await runAll(plan.add, async (group) => await this.#store(group))
    return counts
  }

  /** @throws InvalidInputError unless the caller allows that a folder without files removes its documents */
  #requireEmptyAllowed(extra: readonly Document[], isEmpty: boolean, emptyBelow: readonly string[]): void {
    if (extra.length === 0 || this.options.allowEmpty === true) return
    if (isEmpty) throw emptyError(`${this.folder} has no file that can be read`, 'all documents', extra.length)
    for (const folder of emptyBelow) {
      const { length } = extra.filter((document) => pathsOf(document).some((path) => path.startsWith(`${folder}/`)))
      if (length > MOST_OF_EMPTY_FOLDER) {
        throw emptyError(`the folder ${folder} in ${this.folder} is empty`, 'all its documents', length)
      }
    }
  }

  async #requireFolder(): Promise<void> {
    const found = await stat(this.folder).catch(() => undefined)
    if (found === undefined) throw new InvalidInputError('folder', `${this.folder} does not exist, or cannot be read`)
    if (!found.isDirectory()) throw new InvalidInputError('folder', `${this.folder} is not a folder`)
  }

  async #listDocuments(): Promise<Document[]> {
    const documents: Document[] = []
    for await (const document of this.session.documents.entries(this.contextId)) documents.push(document)
    return documents
  }

  async #hashAll(files: readonly FolderFile[]): Promise<{ hashed: HashedFile[]; unreadable: SyncedFile[] }> {
    const [hashed, unreadable]: [HashedFile[], SyncedFile[]] = [[], []]
    for (const file of files) {
      this.options.signal?.throwIfAborted()
      try {
        hashed.push({ ...file, name: shownName(file.name), sha256: await this.#hashes.of(file) })
      } catch (error) {
        unreadable.push({ path: file.path, ...failure(undefined, error) })
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
            this.options.signal?.throwIfAborted()
            await change()
          }),
        ),
      )
    } finally {
      atOnce.clearQueue()
    }
  }

  /**
   * The renamed files in turns. In each, no document of a later turn still has one of the new names: two documents with
   * one name get numbers.
   */
  async *#renameTurns(groups: readonly KnownGroup[]): AsyncGenerator<readonly KnownGroup[]> {
    const names = new Map(groups.map((group) => [group, nameOf(group.document)]))
    while (names.size > 0) {
      const held = new Set(names.values())
      const free = [...names.keys()].filter(({ files: [file] }) => !held.has(file.name))
      const [first] = names.keys()
      if (free.length > 0) yield free
      else if (first !== undefined) {
        // The names of a circle are all held. One document leaves it for a moment.
        const name = `~${nameOf(first.document)}`
        await this.#store({ ...first, files: [{ ...first.files[0], name }] }, first.document)
        names.set(first, name)
      }
      for (const group of free) names.delete(group)
    }
  }

  /** Uploads a file, as a new document or in place of one, and waits until it is processed. */
  async #store({ files, path }: FileGroup, document?: Document): Promise<readonly SyncedFile[]> {
    const { documents } = this.session
    const { signal, onWaiting } = this.options
    const [file] = files
    const cancellable = signal === undefined ? {} : { signal }
    let uuid: string | undefined
    try {
      const content = (await openFolderFile(file)).createReadStream()
      try {
        // A replacement keeps the metadata of its document.
        if (document !== undefined) await this.#setPath(document, path)
        uuid =
          document === undefined
            ? await documents.upload(
                this.contextId,
                { fileName: file.name, content, metadata: { [PATH_KEY]: path } },
                cancellable,
              )
            : await documents.replace(reference(document), { fileName: file.name, content }, cancellable)
      } finally {
        // A refused upload has not read it.
        content.destroy()
      }
      await documents.whenProcessed(uuid, { signal, onWaiting })
      return toResults(files, { outcome: document === undefined ? 'added' : 'replaced', uuid })
    } catch (error) {
      if (endsAll(error, signal)) throw error
      return toResults(files, failure(uuid, error))
    }
  }

  /**
   * The result for files whose document has their bytes. Waits for a document that an interrupted run has stored. The
   * failure of a document is shown in each run, until its file changes.
   */
  async #keep({ files, path, document }: KnownGroup): Promise<readonly SyncedFile[]> {
    const { uuid, error } = document.replacement ?? document
    const { signal, onWaiting } = this.options
    try {
      await this.#setPath(document, path)
      if (error !== null) return toResults(files, { outcome: 'failed', uuid: document.uuid, error })
      const isWaiting = document.replacement !== null || document.completed === null
      if (isWaiting) await this.session.documents.whenProcessed(reference(document), { signal, onWaiting })
      return toResults(files, { outcome: 'unchanged', uuid })
    } catch (reason) {
      if (endsAll(reason, signal)) throw reason
      return toResults(files, failure(document.uuid, reason))
    }
  }

  async #setPath(document: Document, path: string | string[]): Promise<void> {
    if (isDeepStrictEqual(document.metadata[PATH_KEY], path)) return
    await this.session.documents.update(reference(document), { metadata: { [PATH_KEY]: path } })
  }

  async #remove(document: Document): Promise<SyncedFile> {
    const [path = document.displayName] = pathsOf(document)
    try {
      await this.session.documents.delete(reference(document))
      return { path, outcome: 'removed', uuid: document.uuid }
    } catch (error) {
      if (endsAll(error, this.options.signal)) throw error
      return { path, ...failure(document.uuid, error) }
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

function isRenamed({ files: [file], document }: KnownGroup): boolean {
  return nameOf(document) !== file.name
}

type Result = Omit<SyncedFile, 'path'>

function toResults(files: readonly FolderFile[], result: Result): SyncedFile[] {
  return files.map(({ path }) => ({ path, ...result }))
}

function failure(uuid: string | undefined, error: unknown): Result {
  return { outcome: 'failed', uuid, error: messageOf(error), ...(isOfTheMoment(error) && { isTransient: true }) }
}

/** True for an error after which the next synchronisation may succeed, although nothing has changed. */
export function isOfTheMoment(error: unknown): boolean {
  return error instanceof AlcoveError && error.isTransient
}

/** True for an error that is not about one file. */
function endsAll(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted === true || error instanceof ClosedError) return true
  return isCode(error, 'ERR_CONTEXT_NOT_FOUND', 'ERR_FORBIDDEN')
}

function emptyError(problem: string, documents: string, count: number): InvalidInputError {
  return new InvalidInputError(
    'folder',
    `${problem}, so ${documents} would be deleted (${count}); check that it is the right folder and mounted, or allow this with allowEmpty (--allow-empty)`,
  )
}

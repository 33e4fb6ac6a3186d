import { createReadStream, type Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  AlcoveError,
  ClosedError,
  DocumentFailedError,
  type DocumentMetadata,
  type DocumentWithReceipt,
  type Session,
} from '../../src/index.js'
import { isCode } from '../node-kit/index.js'

/** The most files that are uploaded and not yet processed. */
const UPLOADS_AHEAD = 8

interface FileToIngest {
  readonly path: string
  readonly name: string
}

/** The result for one file: its record, which may have an error, or the reason why no record exists. */
type Outcome = { readonly document: DocumentWithReceipt } | { readonly error: string }

/** Uploads files into a context, waits until they are searchable, and counts the rest. */
export class Ingestion {
  readonly #session: Session
  readonly #contextId: number
  readonly #files: readonly FileToIngest[]
  readonly #metadata: DocumentMetadata | undefined
  #uploaded = 0
  #settled = 0

  /** @param metadata the metadata of each document */
  constructor(session: Session, contextId: number, files: readonly FileToIngest[], metadata?: DocumentMetadata) {
    this.#session = session
    this.#contextId = contextId
    this.#files = files
    this.#metadata = metadata
  }

  /** The number of uploaded documents that are not processed yet. */
  get unfinished(): number {
    return this.#uploaded - this.#settled
  }

  /** The number of files that are not uploaded yet. */
  get notUploaded(): number {
    return this.#files.length - this.#uploaded
  }

  /**
   * Uploads the files in their order, some of them ahead, and yields their outcomes in the same order.
   * @throws ClosedError if the engine is closed before the end
   */
  async *run(): AsyncGenerator<{ readonly file: FileToIngest; readonly outcome: Outcome }> {
    const ahead: { readonly file: FileToIngest; readonly outcome: Promise<Outcome> }[] = []
    for (const file of this.#files) {
      const outcome = this.#settle(await this.#upload(file))
      // Nothing awaits the outcome yet. If the engine is closed first, the error must not count as unhandled.
      outcome.catch(() => undefined)
      ahead.push({ file, outcome })
      const oldest = ahead.length >= UPLOADS_AHEAD ? ahead.shift() : undefined
      if (oldest !== undefined) yield { file: oldest.file, outcome: await oldest.outcome }
    }
    for (const { file, outcome } of ahead) yield { file, outcome: await outcome }
  }

  async #upload({ path, name }: FileToIngest): Promise<{ readonly uuid: string } | { readonly error: string }> {
    try {
      // Opening a pipe blocks until a process writes to it, and nothing can interrupt that.
      if (!(await stat(path)).isFile()) return { error: 'not a regular file' }
      const content = createReadStream(path)
      const document = { fileName: name, content, metadata: this.#metadata }
      return { uuid: await this.#session.documents.upload(this.#contextId, document) }
    } catch (error) {
      return { error: describe(error) }
    } finally {
      this.#uploaded += 1
    }
  }

  async #settle(uploaded: { readonly uuid: string } | { readonly error: string }): Promise<Outcome> {
    const outcome = 'error' in uploaded ? uploaded : await this.#waitUntilProcessed(uploaded.uuid)
    this.#settled += 1
    return outcome
  }

  async #waitUntilProcessed(uuid: string): Promise<Outcome> {
    const { documents } = this.#session
    try {
      await documents.whenProcessed(uuid).catch((error: unknown) => {
        // The record has this error too.
        if (!(error instanceof DocumentFailedError)) throw error
      })
      return { document: await documents.get(uuid) }
    } catch (error) {
      return { error: describe(error) }
    }
  }
}

/** @throws ClosedError the error itself: a closed engine ends the whole ingestion, not one file */
function describe(error: unknown): string {
  if (error instanceof ClosedError) throw error
  if (error instanceof AlcoveError) {
    const isDeleted = error.code === 'ERR_DOCUMENT_NOT_FOUND'
    return `${isDeleted ? 'deleted before it was searchable' : error.message} (${error.code})`
  }
  const isMissing = isCode(error, 'ENOENT')
  if (isMissing) return 'no such file or folder'
  return error instanceof Error ? error.message : String(error)
}

const READABLE = /\.(pdf|docx?|txt|md|csv)$/i
const UNREADABLE = 'its format is not supported'

/** The reasons to skip an entry of a folder: singular and plural. */
const REASONS = {
  hidden: ['hidden', 'hidden'],
  link: ['symbolic link', 'symbolic links'],
  deadLink: ['dead link', 'dead links'],
  special: ['special file', 'special files'],
} as const

type SkipReason = keyof typeof REASONS

/** The files and folders that the paths on the command line name. */
interface FilesToIngest {
  readonly files: readonly FileToIngest[]
  /** Folders without a file that can be ingested. */
  readonly emptyFolders: readonly string[]
  /** The skipped entries of folders: one sentence each, for the user. */
  readonly skipped: readonly string[]
}

/**
 * Lists the files that the paths on the command line name. A named file is always taken. A folder yields the files with
 * a known extension in it and its subfolders.
 */
export async function filesToIngest(paths: readonly string[]): Promise<FilesToIngest> {
  const files: FileToIngest[] = []
  const emptyFolders: string[] = []
  const skipped: string[] = []
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    // A missing path fails later, when the file is read, like any other file.
    if (!isFolder) {
      files.push({ path, name: basename(path) })
      continue
    }
    const skipReasons: SkipReason[] = []
    const found = await filesIn(path, skipReasons)
    const readable = found.filter((file) => READABLE.test(file))
    if (readable.length === 0) emptyFolders.push(path)
    files.push(...readable.map((file) => ({ path: file, name: basename(file) })))
    skipped.push(...found.filter((file) => !READABLE.test(file)).map((file) => `skipped ${file}: ${UNREADABLE}`))
    if (skipReasons.length > 0) {
      skipped.push(`skipped in ${path}: ${countReasons(skipReasons)}; to ingest such a file, name it`)
    }
  }
  return { files, emptyFolders, skipped }
}

function countReasons(skipReasons: readonly SkipReason[]): string {
  return Object.entries(REASONS)
    .map(([reason, names]) => ({ count: skipReasons.filter((skipReason) => skipReason === reason).length, names }))
    .filter(({ count }) => count > 0)
    .map(({ count, names: [singular, plural] }) => `${count} ${count === 1 ? singular : plural}`)
    .join(', ')
}

/**
 * Lists the files below a folder in the order of their names.
 * @param skipReasons gets a reason for each skipped entry
 */
async function filesIn(folder: string, skipReasons: SkipReason[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((first, second) => first.name.localeCompare(second.name))) {
    const path = join(folder, entry.name)
    const reason = await reasonToSkip(entry, path)
    if (reason !== undefined) skipReasons.push(reason)
    else if (entry.isDirectory()) found.push(...(await filesIn(path, skipReasons)))
    else found.push(path)
  }
  return found
}

/** Links are skipped: they may lead out of the folder, or in circles. */
async function reasonToSkip(entry: Dirent, path: string): Promise<SkipReason | undefined> {
  if (entry.name.startsWith('.')) return 'hidden'
  if (entry.isDirectory() || entry.isFile()) return undefined
  if (!entry.isSymbolicLink()) return 'special'
  return await stat(path).then(
    () => 'link' as const,
    () => 'deadLink' as const,
  )
}

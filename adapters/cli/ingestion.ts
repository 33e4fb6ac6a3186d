import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import {
  AlcoveError,
  ClosedError,
  type Document,
  DocumentFailedError,
  type DocumentMetadata,
  type DocumentWithReceipt,
  type Session,
} from '../../src/index.js'
import { messageOf } from '../../src/ports/index.js'
import { type FolderFile, isCode, listFolder, openFolderFile, type SkipReason } from '../node-kit/index.js'
import { waitTeller } from './wait-teller.js'

/** The most files that are uploaded and not yet processed. */
const UPLOADS_AHEAD = 8

interface FileToIngest {
  readonly path: string
  readonly name: string
  /** The file as the list of its folder found it; undefined for a file that the user named. */
  readonly listed?: FolderFile
}

/** The result for one file: its record, which may have an error, or the reason why no record exists. */
type Outcome =
  | { readonly document: DocumentWithReceipt /** True if it had these bytes before. */; readonly isUnchanged: boolean }
  | { readonly error: string }

type Uploaded = { readonly uuid: string; readonly isUnchanged: boolean } | { readonly error: string }

/** Uploads files into a context, waits until they are searchable, and counts the rest. */
export class Ingestion {
  readonly #metadata: DocumentMetadata | undefined
  readonly #replaces: boolean
  /** The documents of the context before the ingestion, by their names. Empty if the files replace none. */
  readonly #existing = new Map<string, Document[]>()
  /** The names of the files so far. */
  readonly #names = new Set<string>()
  readonly #tellWaiting = waitTeller()
  /** The names of uploaded files, by the UUID of their document. */
  readonly #nameOfUuid = new Map<string, string>()
  #uploaded = 0
  #settled = 0

  /**
   * @param options.replaces true if a file replaces the document of its name. Default: false
   * @param options.metadata the metadata of each document. Default: none, and a replaced document keeps its own
   */
  constructor(
    private readonly session: Session,
    private readonly contextId: number,
    private readonly files: readonly FileToIngest[],
    {
      replaces = false,
      metadata,
    }: { readonly replaces?: boolean; readonly metadata?: DocumentMetadata | undefined } = {},
  ) {
    this.#replaces = replaces
    this.#metadata = metadata
  }

  /** The number of uploaded documents that are not processed yet. */
  get unfinished(): number {
    return this.#uploaded - this.#settled
  }

  /** The name of the file that has become a document; undefined if none has. */
  nameOf(uuid: string): string | undefined {
    return this.#nameOfUuid.get(uuid)
  }

  /** The number of files that are not uploaded yet. */
  get notUploaded(): number {
    return this.files.length - this.#uploaded
  }

  /**
   * Uploads the files in their order, some of them ahead, and yields their outcomes in the same order.
   * @throws ClosedError if the engine is closed before the end
   */
  async *run(): AsyncGenerator<{ readonly file: FileToIngest; readonly outcome: Outcome }> {
    if (this.#replaces) await this.#readExisting()
    const ahead: { readonly file: FileToIngest; readonly outcome: Promise<Outcome> }[] = []
    for (const file of this.files) {
      const outcome = this.#settle(await this.#upload(file))
      // Nothing awaits the outcome yet. If the engine is closed first, the error must not count as unhandled.
      outcome.catch(() => undefined)
      ahead.push({ file, outcome })
      const oldest = ahead.length >= UPLOADS_AHEAD ? ahead.shift() : undefined
      if (oldest !== undefined) yield { file: oldest.file, outcome: await oldest.outcome }
    }
    for (const { file, outcome } of ahead) yield { file, outcome: await outcome }
  }

  async #readExisting(): Promise<void> {
    for await (const document of this.session.documents.entries(this.contextId)) {
      const named = this.#existing.get(document.originalName)
      if (named === undefined) this.#existing.set(document.originalName, [document])
      else named.push(document)
    }
  }

  async #upload({ path, name, listed }: FileToIngest): Promise<Uploaded> {
    const { documents } = this.session
    let content: Readable | undefined
    try {
      // Opening a pipe blocks until a process writes to it, and nothing can interrupt that.
      if (listed === undefined && !(await stat(path)).isFile()) return { error: refusal('not a regular file') }
      const [existing, ...others] = this.#existing.get(name) ?? []
      // The newest of several documents is no safe choice: searches would go on finding the others.
      if (existing !== undefined && others.length > 0) return { error: refusal(severalNamed([existing, ...others])) }
      if (this.#replaces && this.#names.has(name)) return { error: refusal('another of these files has the same name') }
      this.#names.add(name)
      content = listed === undefined ? createReadStream(path) : (await openFolderFile(listed)).createReadStream()
      const metadata = this.#metadata
      if (existing === undefined) {
        const uuid = await documents.upload(this.contextId, { fileName: name, content, metadata })
        this.#nameOfUuid.set(uuid, name)
        return { uuid, isUnchanged: false }
      }
      const reference = { contextId: this.contextId, id: existing.id }
      const uuid = await documents.replace(reference, { content, metadata })
      this.#nameOfUuid.set(uuid, name)
      return { uuid, isUnchanged: uuid === existing.uuid && existing.completed !== null }
    } catch (error) {
      return { error: describe(error) }
    } finally {
      // A refused upload has not read it.
      content?.destroy()
      this.#uploaded += 1
    }
  }

  async #settle(uploaded: Uploaded): Promise<Outcome> {
    const outcome = 'error' in uploaded ? uploaded : await this.#waitUntilProcessed(uploaded)
    this.#settled += 1
    return outcome
  }

  async #waitUntilProcessed({ uuid, isUnchanged }: Exclude<Uploaded, { error: string }>): Promise<Outcome> {
    const { documents } = this.session
    try {
      await documents.whenProcessed(uuid, { onWaiting: this.#tellWaiting }).catch((error: unknown) => {
        // The record has this error too.
        if (!(error instanceof DocumentFailedError)) throw error
      })
      return { document: await documents.get(uuid), isUnchanged }
    } catch (error) {
      return { error: describe(error) }
    }
  }
}

function severalNamed(documents: readonly Document[]): string {
  const names = documents.map(({ displayName, uuid }) => `${displayName} ${uuid}`).join(', ')
  return `${documents.length} documents have this name: ${names}. Delete all but one, then ingest again`
}

/** @throws ClosedError the error itself: a closed engine ends the whole ingestion, not one file */
function describe(error: unknown): string {
  if (error instanceof ClosedError) throw error
  if (error instanceof AlcoveError) {
    const isDeleted = error.code === 'ERR_DOCUMENT_NOT_FOUND'
    return `${isDeleted ? 'deleted before it was searchable' : error.message} (${error.code})`
  }
  return isCode(error, 'ENOENT') ? refusal('no such file or folder') : messageOf(error)
}

/** A refusal of a file, with its code, as the messages of errors have it. */
function refusal(problem: string): string {
  return `${problem} (ERR_INVALID_INPUT)`
}

const UNREADABLE = 'its format is not supported'
const MINIFIED = 'it is minified code; to ingest it, name it'

/** The reasons to skip an entry of a folder: singular and plural. */
const REASONS: Readonly<Record<SkipReason, readonly [string, string]>> = {
  hidden: ['hidden', 'hidden'],
  modules: ['folder node_modules', 'folders node_modules'],
  link: ['symbolic link', 'symbolic links'],
  deadLink: ['dead link', 'dead links'],
  special: ['special file', 'special files'],
}

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
 * a known extension in it and its subfolders, without minified code.
 *
 * @param readsPictures true if text in pictures is recognised: a folder then yields pictures too
 */
export async function filesToIngest(paths: readonly string[], readsPictures: boolean): Promise<FilesToIngest> {
  const files: FileToIngest[] = []
  const emptyFolders: string[] = []
  const skipped: string[] = []
  const { isMinified, isReadableName } = await import('../text-extraction/index.js')
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    // A missing path fails later, when the file is read, like any other file.
    if (!isFolder) {
      files.push({ path, name: basename(path).normalize('NFC') })
      continue
    }
    const skipReasons: SkipReason[] = []
    const found = await listFolder(path, { onSkipped: (_path, reason) => skipReasons.push(reason) })
    const before = files.length
    for (const listed of found) {
      const { name, systemPath } = listed
      if (!isReadableName(name, readsPictures)) skipped.push(`skipped ${systemPath}: ${UNREADABLE}`)
      else if (isMinified(name)) skipped.push(`skipped ${systemPath}: ${MINIFIED}`)
      else files.push({ path: systemPath, name, listed })
    }
    if (files.length === before) emptyFolders.push(path)
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

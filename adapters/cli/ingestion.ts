import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  AlcoveError,
  ClosedError,
  DocumentFailedError,
  type DocumentWithReceipt,
  type Session,
} from '../../src/index.js'
import { isCode } from '../node-kit/index.js'
import type { FileToIngest } from './files-to-ingest.js'

/** The most files that are uploaded and not yet processed. */
const UPLOADS_AHEAD = 8

/** The result for one file: its record, which may have an error, or the reason why no record exists. */
export type Outcome = { readonly document: DocumentWithReceipt } | { readonly error: string }

/** Uploads files into a context, waits until they are searchable, and counts the rest. */
export class Ingestion {
  readonly #session: Session
  readonly #contextId: number
  readonly #files: readonly FileToIngest[]
  #uploaded = 0
  #settled = 0

  constructor(session: Session, contextId: number, files: readonly FileToIngest[]) {
    this.#session = session
    this.#contextId = contextId
    this.#files = files
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
      return { uuid: await this.#session.documents.upload(this.#contextId, { fileName: name, content }) }
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

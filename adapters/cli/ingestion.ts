import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  AlcoveError,
  ClosedError,
  DocumentFailedError,
  type DocumentWithReceipt,
  type Session,
} from '../../src/index.js'
import type { FileToIngest } from './files-to-ingest.js'

/** Files that are uploaded while the one before them is processed. */
const UPLOADS_AHEAD = 8

/** What has become of a file: a record, which may tell of a failure, or why there is none. */
export type Outcome = { readonly document: DocumentWithReceipt } | { readonly error: string }

/** Uploads files into a context, waits until they are searchable, and knows how far that is. */
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

  /** Documents that are kept, but not processed yet. */
  get unfinished(): number {
    return this.#uploaded - this.#settled
  }

  /** Files that are not kept yet. */
  get notUploaded(): number {
    return this.#files.length - this.#uploaded
  }

  /**
   * Uploads the files in their order, some ahead of those that are processed, and gives them back in it.
   * @throws ClosedError where the engine is closed meanwhile
   */
  async *run(): AsyncGenerator<{ readonly file: FileToIngest; readonly outcome: Outcome }> {
    const ahead: { readonly file: FileToIngest; readonly outcome: Promise<Outcome> }[] = []
    for (const file of this.#files) {
      const outcome = this.#process(await this.#upload(file))
      // Nobody waits for it yet: should the engine be closed first, that is no uncaught error.
      outcome.catch(() => undefined)
      ahead.push({ file, outcome })
      const oldest = ahead.length >= UPLOADS_AHEAD ? ahead.shift() : undefined
      if (oldest !== undefined) yield { file: oldest.file, outcome: await oldest.outcome }
    }
    for (const { file, outcome } of ahead) yield { file, outcome: await outcome }
  }

  async #upload({ path, name }: FileToIngest): Promise<{ readonly uuid: string } | { readonly error: string }> {
    try {
      // To open a pipe would wait for whoever writes to it, which nothing can interrupt.
      if (!(await stat(path)).isFile()) return { error: 'it is not a regular file' }
      const content = createReadStream(path)
      return { uuid: await this.#session.documents.upload(this.#contextId, { fileName: name, content }) }
    } catch (error) {
      return { error: describe(error) }
    } finally {
      this.#uploaded += 1
    }
  }

  async #process(uploaded: { readonly uuid: string } | { readonly error: string }): Promise<Outcome> {
    const outcome = 'error' in uploaded ? uploaded : await this.#processed(uploaded.uuid)
    this.#settled += 1
    return outcome
  }

  async #processed(uuid: string): Promise<Outcome> {
    const { documents } = this.#session
    try {
      await documents.whenProcessed(uuid).catch((error: unknown) => {
        // That is in the record.
        if (!(error instanceof DocumentFailedError)) throw error
      })
      return { document: await documents.get(uuid) }
    } catch (error) {
      return { error: describe(error) }
    }
  }
}

/** @throws the error itself where the engine is closed: that is the end, and not of one file */
function describe(error: unknown): string {
  if (error instanceof ClosedError) throw error
  if (error instanceof AlcoveError) {
    const isGone = error.code === 'ERR_DOCUMENT_NOT_FOUND'
    return `${isGone ? 'it was deleted before it was searchable' : error.message} (${error.code})`
  }
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  if (isMissing) return 'there is no such file or folder'
  return error instanceof Error ? error.message : String(error)
}

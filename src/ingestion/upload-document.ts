import { ASSISTANT, findWritable } from '../context/index.js'
import type { Clock, ContextRecord, FileStore, Storage, StoredFile, TextExtractor } from '../ports/index.js'
import { InvalidInputError, QuotaExceededError } from '../shared/errors.js'
import { idSchema, validate } from '../shared/validate.js'
import { type Access, type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { INGEST_DOCUMENT } from './job-kinds.js'
import { processAgain } from './retry-document.js'
import { type ByteSource, inspected, toByteSource, type UploadContent } from './upload-content.js'

/** What `documents.upload` takes. */
export interface NewDocument {
  /** The name it has at the user's; its ending names the format. Never used as a path. */
  readonly fileName: string
  readonly content: UploadContent
}

export interface UploadOptions {
  /** Most bytes this one file may have; default the context's `maxSize`. */
  readonly maxFileBytes?: number
  readonly signal?: AbortSignal
}

/** Bytes that are enough to tell a format. */
const HEAD_BYTES = 4_096
/** How long an upload holds its quota after the last byte that came. */
const UPLOAD_TTL_MS = 10 * 60_000
const EXTEND_EVERY_MS = 60_000
const MAX_NAME_CHARACTERS = 10_000

/** Takes a training document in: its bytes are stored when this ends, its text is searchable once it is processed. */
export class UploadDocument {
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #extractor: TextExtractor
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, fileStore: FileStore, extractor: TextExtractor, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#extractor = extractor
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /**
   * @returns the document's UUID; that of the document there is, for the same bytes under the same name
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws QuotaExceededError where it does not fit in what is left of the context's `maxSize`
   * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`, `ERR_EMPTY_FILE`
   */
  async execute(
    principal: Principal,
    contextId: number,
    input: NewDocument,
    options: UploadOptions = {},
  ): Promise<string> {
    const source = toByteSource((input as Partial<NewDocument> | undefined)?.content)
    try {
      const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'document:write')
      const id = validate(idSchema(), contextId, 'contextId')
      return await this.#upload(access, id, cleanName(input.fileName), source, options)
    } finally {
      source.release()
    }
  }

  async #upload(
    access: Access,
    contextId: number,
    originalName: string,
    { bytes, sizeBytes }: ByteSource,
    options: UploadOptions,
  ): Promise<string> {
    const uuid = crypto.randomUUID()
    const { context, maxBytes } = await this.#reserve(access, contextId, uuid, sizeBytes, options)
    try {
      let contentType = ''
      const content = inspected(this.#keepingAlive(uuid, bytes), HEAD_BYTES, async (head) => {
        contentType = (await this.#extractor.identify(originalName, head)).contentType
      })
      const file = await this.#fileStore.write(uuid, content, { maxBytes, ...pickSignal(options) })
      return await this.#settle(context, access, { uuid, originalName, contentType, file })
    } catch (error) {
      await this.#giveUp(uuid)
      throw error instanceof QuotaExceededError ? tooLarge(context, options) : error
    }
  }

  /** Holds the quota, if the size is known, or a place in it. */
  async #reserve(
    access: Access,
    contextId: number,
    uuid: string,
    sizeBytes: number | undefined,
    options: UploadOptions,
  ): Promise<{ readonly context: ContextRecord; readonly maxBytes: number }> {
    return await this.#storage.transaction(async (repositories) => {
      const context = await findWritable(repositories, access, contextId)
      const left = context.maxSizeBytes - (await repositories.uploads.usedBytes(contextId))
      const maxBytes = Math.min(left, options.maxFileBytes ?? left)
      if (sizeBytes !== undefined && sizeBytes > maxBytes) throw tooLarge(context, options)
      await repositories.uploads.insert({ uuid, contextId, sizeBytes: sizeBytes ?? 0 }, UPLOAD_TTL_MS)
      return { context, maxBytes: Math.max(0, maxBytes) }
    })
  }

  /** Turns the reservation into a document and its job, or finds the document there is. */
  async #settle(context: ContextRecord, access: Access, upload: FinishedUpload): Promise<string> {
    const { uuid, originalName, contentType, file } = upload
    const settled = await this.#storage.transaction(async (repositories) => {
      const { documents, uploads, jobs } = repositories
      await findWritable(repositories, access, context.id)
      await uploads.remove(uuid)
      const used = await uploads.usedBytes(context.id)
      if (used + file.sizeBytes > context.maxSizeBytes) throw tooLarge(context, {})
      const same = await documents.findSame(context.id, file.sha256, originalName)
      if (same !== undefined) {
        if (same.error !== null) await processAgain(repositories, same.id)
        return same.uuid
      }
      const document = await documents.insert({
        uuid,
        contextId: context.id,
        originalName,
        nameIndex: await documents.nextNameIndex(context.id, originalName),
        contentType,
        contentHash: file.sha256,
        sizeBytes: file.sizeBytes,
        chunkCount: 0,
        created: this.#clock.now().toISOString(),
        createdBy: access.principal.userId,
        started: null,
        completed: null,
        error: null,
        receipt: null,
        deleted: null,
      })
      await jobs.enqueue({ kind: INGEST_DOCUMENT, subject: document.id })
      return uuid
    })
    if (settled !== uuid) await this.#fileStore.delete(uuid)
    return settled
  }

  async #giveUp(uuid: string): Promise<void> {
    // What fails here is found by the sweep: the first error is the one to tell.
    await this.#storage.transaction(({ uploads }) => uploads.remove(uuid)).catch(() => undefined)
    await this.#fileStore.delete(uuid).catch(() => undefined)
  }

  async *#keepingAlive(uuid: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let extended = performance.now()
    for await (const piece of bytes) {
      if (performance.now() - extended > EXTEND_EVERY_MS) {
        extended = performance.now()
        await this.#storage.transaction(({ uploads }) => uploads.extend(uuid, UPLOAD_TTL_MS))
      }
      yield piece
    }
  }
}

interface FinishedUpload {
  readonly uuid: string
  readonly originalName: string
  readonly contentType: string
  readonly file: StoredFile
}

/** Names come from strangers: control characters are made visible, the rest is kept. */
function cleanName(fileName: unknown): string {
  if (typeof fileName !== 'string' || fileName.trim() === '')
    throw new InvalidInputError('fileName', 'must be a name that ends in the format, such as report.pdf')
  if (fileName.length > MAX_NAME_CHARACTERS)
    throw new InvalidInputError('fileName', `must have at most ${MAX_NAME_CHARACTERS} characters`)
  return fileName.toWellFormed().replace(/\p{Cc}/gu, '\uFFFD')
}

function tooLarge(context: ContextRecord, options: UploadOptions): QuotaExceededError {
  const { maxFileBytes } = options
  if (maxFileBytes !== undefined && maxFileBytes < context.maxSizeBytes) {
    return new QuotaExceededError(
      `the file has more than ${maxFileBytes} bytes, or does not fit in what is left of the context's ${context.maxSizeBytes}`,
    )
  }
  return new QuotaExceededError(
    `the file does not fit: the documents of the context ${context.id} may have ${context.maxSizeBytes} bytes together; delete some, or raise maxSize`,
  )
}

function pickSignal({ signal }: UploadOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

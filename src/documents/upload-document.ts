import { recordChange } from '../audit/index.js'
import { ASSISTANT, findWritable } from '../contexts/index.js'
import { QuotaExceededError, ThrottledError } from '../kernel/errors.js'
import { type EngineLimits, requireBelow } from '../kernel/limits.js'
import { Places } from '../kernel/places.js'
import { integerSchema, parseId, validate } from '../kernel/validate.js'
import type {
  Clock,
  ContextRecord,
  DocumentRecord,
  FileStore,
  Repositories,
  Storage,
  StoredFile,
  TextExtractor,
} from '../ports/index.js'
import { type Access, type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { processAgain } from './change-documents.js'
import { parseFileName } from './document.js'
import { enqueueIngestion } from './enqueue.js'
import {
  firstHeldBytes,
  HeldQuota,
  roomFor,
  UPLOAD_TTL_MS,
  uploadExpired,
  type WantedRoom,
  WITH_CONTEXT_HELD,
} from './held-quota.js'
import { type ByteSource, inspected, toByteSource, type UploadContent } from './upload-content.js'

/** What `documents.upload` takes. */
export interface NewDocument {
  /** The name it has at the user's; its ending names the format. Of a path, the last part counts. */
  readonly fileName: string
  readonly content: UploadContent
}

export interface UploadOptions {
  /** Most bytes this one file may have; default the context's `maxSize`. */
  readonly maxFileBytes?: number
  /**
   * What is known of the size of a stream, in bytes, such as a Content-Length: a file that cannot fit is refused before
   * it is read. The upload holds as much of the quota as has arrived, and up to 16 MiB ahead. It need not be right.
   */
  readonly expectedBytes?: number
  readonly signal?: AbortSignal
}

/** Bytes that are enough to tell a format. */
const HEAD_BYTES = 4_096
/** Of an upload above the limit: uploads take seconds. */
const RETRY_AFTER_SECONDS = 5
const EXPECTED_BYTES = integerSchema({ min: 0 }).optional()

/** Takes a training document in: its bytes are stored when this ends, its text is searchable once it is processed. */
export class UploadDocument {
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #extractor: TextExtractor
  readonly #clock: Clock
  readonly #authorizer: Authorizer
  readonly #limits: EngineLimits
  readonly #places = new Places()

  constructor(
    storage: Storage,
    fileStore: FileStore,
    extractor: TextExtractor,
    clock: Clock,
    authorizer: Authorizer,
    limits: EngineLimits,
  ) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#extractor = extractor
    this.#clock = clock
    this.#authorizer = authorizer
    this.#limits = limits
  }

  /**
   * @returns the document's UUID; that of the document there is, for the same bytes under the same name
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws QuotaExceededError where it does not fit in what is left of the context's `maxSize`
   * @throws LimitReachedError where the context has as many documents as it may
   * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`, `ERR_WRONG_TYPE`, `ERR_EMPTY_FILE`
   * @throws LeaseLostError where the content took a pause of more than ten minutes
   * @throws ThrottledError where the company has as many uploads under way as it may
   */
  async execute(
    principal: Principal,
    contextId: number,
    input: NewDocument,
    options: UploadOptions = {},
  ): Promise<string> {
    const source = toByteSource((input as Partial<NewDocument> | undefined)?.content)
    let free = (): void => undefined
    try {
      const caller = parsePrincipal(principal)
      free = this.#takePlace(caller)
      const access = await this.#authorizer.authorize(caller, ASSISTANT, 'document:write')
      const id = parseId(contextId, 'contextId')
      return await this.#upload(access, id, parseFileName(input.fileName), source, options)
    } finally {
      source.release()
      free()
    }
  }

  /**
   * Whether a file of so many bytes may come, before any of them does.
   * @throws as {@link execute}
   */
  async check(
    principal: Principal,
    contextId: number,
    sizeBytes: number,
    options: Pick<UploadOptions, 'maxFileBytes'> = {},
  ): Promise<void> {
    const caller = parsePrincipal(principal)
    this.#takePlace(caller)()
    const access = await this.#authorizer.authorize(caller, ASSISTANT, 'document:write')
    const id = parseId(contextId, 'contextId')
    const bytes = validate(EXPECTED_BYTES, sizeBytes, 'sizeBytes') ?? 0
    await this.#storage.read(async (repositories) => {
      await findRoom(repositories, access, { contextId: id, sizeBytes: bytes }, options)
      await this.#requireRoom(repositories, id)
    })
  }

  /** @returns a function that gives the place back @throws ThrottledError */
  #takePlace({ companyId }: Principal): () => void {
    const { uploadsPerCompany } = this.#limits
    const free = this.#places.take({ [companyId]: uploadsPerCompany })
    if (typeof free !== 'string') return free
    const problem = `this company has ${uploadsPerCompany} uploads under way, as many as it may have: wait until one of them has ended`
    throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
  }

  async #upload(
    access: Access,
    contextId: number,
    originalName: string,
    { bytes, sizeBytes }: ByteSource,
    options: UploadOptions,
  ): Promise<string> {
    const uuid = crypto.randomUUID()
    const expectedBytes = sizeBytes ?? validate(EXPECTED_BYTES, options.expectedBytes, 'expectedBytes') ?? 0
    const upload = { uuid, contextId, originalName, sizeBytes: expectedBytes }
    const context = await this.#reserve(access, upload, options)
    const maxFileBytes = options.maxFileBytes ?? context.maxSizeBytes
    const quota = new HeldQuota(this.#storage, context, { uuid, originalName, expectedBytes, maxFileBytes })
    try {
      let contentType = ''
      const content = inspected(quota.metered(bytes), HEAD_BYTES, async (head) => {
        contentType = (await this.#extractor.identify(originalName, head)).contentType
      })
      const file = await this.#fileStore.write(uuid, content, { maxBytes: maxFileBytes, ...pickSignal(options) })
      // The content may have taken long: what was taken from the caller meanwhile counts.
      const renewed = await this.#authorizer.authorize(access.principal, ASSISTANT, 'document:write')
      return await this.#settle(context, renewed, { uuid, originalName, contentType, file })
    } catch (error) {
      await this.#giveUp(uuid)
      throw error instanceof QuotaExceededError ? tooLarge(context, options) : error
    }
  }

  /** Holds the first part of what is known to be needed of the quota, where all of it fits. */
  async #reserve(
    access: Access,
    { uuid, ...upload }: Required<WantedRoom> & { readonly uuid: string },
    options: UploadOptions,
  ): Promise<ContextRecord> {
    const { contextId, originalName } = upload
    const reserve = async (repositories: Repositories): Promise<ContextRecord> => {
      await repositories.contexts.lock(contextId)
      const context = await findRoom(repositories, access, upload, options)
      // It may be the document that has this name.
      const isNewName = (await repositories.documents.nextNameIndex(contextId, originalName)) === 0
      if (isNewName) await this.#requireRoom(repositories, contextId)
      const sizeBytes = firstHeldBytes(upload.sizeBytes)
      await repositories.uploads.insert({ uuid, contextId, sizeBytes }, UPLOAD_TTL_MS)
      return context
    }
    return await this.#storage.transaction(reserve, WITH_CONTEXT_HELD)
  }

  /** Turns the reservation into a document and its job, or finds the document there is. */
  async #settle(context: ContextRecord, access: Access, upload: FinishedUpload): Promise<string> {
    const { uuid, originalName, contentType, file } = upload
    const settle = async (repositories: Repositories): Promise<string> => {
      const { contexts, documents, uploads } = repositories
      await contexts.lock(context.id)
      const { accountId } = await findWritable(repositories, access, context.id)
      if (!(await uploads.remove(uuid))) throw uploadExpired()
      const same = await documents.findSame(context.id, file.sha256, originalName)
      if (same !== undefined) {
        if (same.error === null) return same.uuid
        await processAgain(repositories, same, { accountId })
        await this.#record(repositories, access, 'document.retried', same)
        return same.uuid
      }
      const used = await uploads.usedBytes(context.id)
      if (used + file.sizeBytes > context.maxSizeBytes) throw tooLarge(context, {})
      await this.#requireRoom(repositories, context.id)
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
        wordsVersion: null,
        embeddedChunks: 0,
        deleted: null,
      })
      await enqueueIngestion(repositories, document, { accountId })
      await this.#record(repositories, access, 'document.uploaded', document)
      return uuid
    }
    const settled = await this.#storage.transaction(settle, WITH_CONTEXT_HELD)
    if (settled !== uuid) await this.#fileStore.delete(uuid)
    return settled
  }

  async #requireRoom({ documents }: Repositories, contextId: number): Promise<void> {
    requireBelow(this.#limits, 'documentsPerContext', contextId, await documents.count(contextId))
  }

  async #record(
    repositories: Repositories,
    { by, companyId }: Access,
    action: 'document.uploaded' | 'document.retried',
    { id: targetId, contextId }: Pick<DocumentRecord, 'id' | 'contextId'>,
  ): Promise<void> {
    await recordChange(repositories, by, this.#clock.now(), { action, companyId, targetId, details: { contextId } })
  }

  /** What fails here is found by the sweep: the first error is the one to tell. */
  async #giveUp(uuid: string): Promise<void> {
    await this.#storage.transaction(({ uploads }) => uploads.remove(uuid)).catch(() => undefined)
    // A commit whose answer was lost has made a document of it.
    const mayBeDocument = await this.#storage
      .read(async ({ documents }) => (await documents.getByUuid(uuid)) !== undefined)
      .catch(() => true)
    if (!mayBeDocument) await this.#fileStore.delete(uuid).catch(() => undefined)
  }
}

/** The context, if there is room in it for a file. @throws QuotaExceededError */
async function findRoom(
  repositories: Repositories,
  access: Access,
  wanted: WantedRoom,
  options: Pick<UploadOptions, 'maxFileBytes'>,
): Promise<ContextRecord> {
  const context = await findWritable(repositories, access, wanted.contextId)
  const leftBytes = context.maxSizeBytes - (await repositories.uploads.usedBytes(wanted.contextId))
  const most = await roomFor(repositories, wanted, leftBytes)
  if (wanted.sizeBytes > Math.min(most, options.maxFileBytes ?? most)) throw tooLarge(context, options)
  return context
}

interface FinishedUpload {
  readonly uuid: string
  readonly originalName: string
  readonly contentType: string
  readonly file: StoredFile
}

function tooLarge(context: ContextRecord, options: UploadOptions): QuotaExceededError {
  const { maxFileBytes } = options
  if (maxFileBytes !== undefined && maxFileBytes < context.maxSizeBytes) {
    return new QuotaExceededError(
      `the file has more than ${maxFileBytes} bytes, or does not fit in what is left of the context's ${context.maxSizeBytes}`,
    )
  }
  return new QuotaExceededError(
    `the file does not fit: the documents of the context ${context.id} may have ${context.maxSizeBytes} bytes together; delete some, or raise settings.maxSizeBytes`,
  )
}

function pickSignal({ signal }: UploadOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

import { recordChange } from '../audit/index.js'
import { ASSISTANT, findWritable } from '../contexts/index.js'
import { QuotaExceededError, ThrottledError } from '../kernel/errors.js'
import { Places } from '../kernel/fair-scheduler.js'
import { type EngineLimits, requireBelow } from '../kernel/limits.js'
import { integerSchema, parseId, validate } from '../kernel/validate.js'
import type {
  Clock,
  ContextRecord,
  DocumentMetadata,
  DocumentRecord,
  FileStore,
  Repositories,
  Storage,
  StoredFile,
  TextExtractor,
} from '../ports/index.js'
import { type Access, type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { parseFileName } from './document.js'
import { enqueueIngestion } from './document-jobs.js'
import { resetDocument } from './documents.js'
import { parseMetadata } from './metadata.js'
import {
  type ByteSource,
  firstHeldBytes,
  HeldQuota,
  inspected,
  maxFileBytesFor,
  toByteSource,
  UPLOAD_TTL_MS,
  type UploadContent,
  uploadExpired,
  type WantedQuota,
  WITH_CONTEXT_LOCK,
} from './upload-stream.js'

/** The input of `documents.upload`. */
export interface NewDocument {
  /** The user's name for the file; its ending names the format. Only the last part of a path counts. */
  readonly fileName: string
  readonly content: UploadContent
  /**
   * Values by key: strings, numbers, booleans and lists of strings; at most 50 keys and 16,384 bytes as JSON. A promise
   * is awaited once the content is read. Default: none.
   */
  readonly metadata?: DocumentMetadata | PromiseLike<DocumentMetadata | undefined> | undefined
}

export interface UploadOptions {
  /** Most bytes of this file. Default: the context's `maxSize`. */
  readonly maxFileBytes?: number
  /**
   * The expected size of a stream in bytes, such as a Content-Length; it need not be right. A file that cannot fit is
   * refused before it is read. The upload holds quota for the bytes that have arrived, and up to 16 MiB ahead.
   */
  readonly expectedBytes?: number
  readonly signal?: AbortSignal
}

/** Bytes that are enough to recognise a format. */
const HEAD_BYTES = 4_096
/** For an upload above the limit: uploads take seconds. */
const RETRY_AFTER_SECONDS = 5
const EXPECTED_BYTES = integerSchema({ min: 0 }).optional()

/** Receives a training document. It returns once the bytes are stored; a job then makes the text searchable. */
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
   * @returns the document's UUID; for the same bytes under the same name, the UUID of the existing document
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws QuotaExceededError if the file does not fit in the rest of the context's `maxSize`
   * @throws LimitReachedError if the context has its maximum of documents
   * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`, `ERR_WRONG_TYPE`, `ERR_EMPTY_FILE`
   * @throws LeaseLostError if no bytes arrived for more than ten minutes
   * @throws ThrottledError if the company has its maximum of running uploads
   */
  async execute(
    principal: Principal,
    contextId: number,
    input: NewDocument,
    options: UploadOptions = {},
  ): Promise<string> {
    const source = toByteSource((input as Partial<NewDocument> | undefined)?.content)
    let freePlace = (): void => undefined
    try {
      const caller = parsePrincipal(principal)
      freePlace = this.#takePlace(caller)
      const access = await this.#authorizer.authorize(caller, ASSISTANT, 'document:write')
      const id = parseId(contextId, 'contextId')
      const readMetadata = metadataReader(input.metadata)
      return await this.#upload(access, id, parseFileName(input.fileName), source, { ...options, readMetadata })
    } finally {
      source.release()
      freePlace()
    }
  }

  /**
   * Checks if a file of this size would be accepted, before any byte arrives.
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
      await requireQuota(repositories, access, { contextId: id, sizeBytes: bytes }, options)
      await this.#requireDocumentPlace(repositories, id)
    })
  }

  /** @returns a function that frees the place @throws ThrottledError */
  #takePlace({ companyId }: Principal): () => void {
    const { uploadsPerCompany } = this.#limits
    const freePlace = this.#places.acquire({ [companyId]: uploadsPerCompany })
    if (typeof freePlace !== 'string') return freePlace
    const problem = `this company has its maximum of ${uploadsPerCompany} running uploads: wait until one of them is finished`
    throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
  }

  async #upload(
    access: Access,
    contextId: number,
    originalName: string,
    { bytes, sizeBytes }: ByteSource,
    options: UploadOptions & { readonly readMetadata: MetadataReader },
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
      const metadata = await options.readMetadata()
      // A second time: the caller may have lost the right while the content arrived.
      const currentAccess = await this.#authorizer.authorize(access.principal, ASSISTANT, 'document:write')
      return await this.#complete(context, currentAccess, { uuid, originalName, contentType, file, metadata })
    } catch (error) {
      await this.#discard(uuid)
      throw error instanceof QuotaExceededError ? tooLarge(context, options) : error
    }
  }

  /** Checks that the expected bytes fit, and holds quota for the first of them. */
  async #reserve(
    access: Access,
    { uuid, ...upload }: Required<WantedQuota> & { readonly uuid: string },
    options: UploadOptions,
  ): Promise<ContextRecord> {
    const { contextId, originalName } = upload
    const reserve = async (repositories: Repositories): Promise<ContextRecord> => {
      await repositories.contexts.lock(contextId)
      const context = await requireQuota(repositories, access, upload, options)
      // With an existing name it may be the existing document, which needs no place of its own.
      const isNewName = (await repositories.documents.nextNameIndex(contextId, originalName)) === 0
      if (isNewName) await this.#requireDocumentPlace(repositories, contextId)
      const sizeBytes = firstHeldBytes(upload.sizeBytes)
      await repositories.uploads.insert({ uuid, contextId, sizeBytes }, UPLOAD_TTL_MS)
      return context
    }
    return await this.#storage.transaction(reserve, WITH_CONTEXT_LOCK)
  }

  /** Replaces the reservation by a document and its job, or finds the existing document. @returns its UUID */
  async #complete(context: ContextRecord, access: Access, upload: FinishedUpload): Promise<string> {
    const { uuid, originalName, contentType, file, metadata } = upload
    const complete = async (repositories: Repositories): Promise<string> => {
      const { contexts, documents, uploads } = repositories
      await contexts.lock(context.id)
      const { accountId } = await findWritable(repositories, access, context.id)
      if (!(await uploads.remove(uuid))) throw uploadExpired()
      const existing = await documents.findSame(context.id, file.sha256, originalName)
      if (existing !== undefined) {
        if (existing.error === null) return existing.uuid
        await resetDocument(repositories, existing, { accountId })
        await this.#recordAudit(repositories, access, 'document.retried', existing)
        return existing.uuid
      }
      const usedBytes = await uploads.usedBytes(context.id)
      if (usedBytes + file.sizeBytes > context.maxSizeBytes) throw tooLarge(context, {})
      await this.#requireDocumentPlace(repositories, context.id)
      const document = await documents.insert({
        uuid,
        contextId: context.id,
        originalName,
        nameIndex: await documents.nextNameIndex(context.id, originalName),
        replaces: null,
        displayName: null,
        metadata,
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
      await this.#recordAudit(repositories, access, 'document.uploaded', document)
      return uuid
    }
    const documentUuid = await this.#storage.transaction(complete, WITH_CONTEXT_LOCK)
    if (documentUuid !== uuid) await this.#fileStore.delete(uuid)
    return documentUuid
  }

  async #requireDocumentPlace({ documents }: Repositories, contextId: number): Promise<void> {
    requireBelow(this.#limits, 'documentsPerContext', contextId, await documents.count(contextId))
  }

  async #recordAudit(
    repositories: Repositories,
    { by, companyId }: Access,
    action: 'document.uploaded' | 'document.retried',
    { id: targetId, contextId }: Pick<DocumentRecord, 'id' | 'contextId'>,
  ): Promise<void> {
    await recordChange(repositories, by, this.#clock.now(), { action, companyId, targetId, details: { contextId } })
  }

  /** Removes the reservation and the file. Ignores errors: the caller gets the first error, and the sweep removes the rest. */
  async #discard(uuid: string): Promise<void> {
    await this.#storage.transaction(({ uploads }) => uploads.remove(uuid)).catch(() => undefined)
    // The commit may have succeeded although its answer was lost: then a document owns the file.
    const mayBeDocument = await this.#storage
      .read(async ({ documents }) => (await documents.getByUuid(uuid)) !== undefined)
      .catch(() => true)
    if (!mayBeDocument) await this.#fileStore.delete(uuid).catch(() => undefined)
  }
}

/** @returns the context @throws QuotaExceededError if its quota has no room for the file */
async function requireQuota(
  repositories: Repositories,
  access: Access,
  wanted: WantedQuota,
  options: Pick<UploadOptions, 'maxFileBytes'>,
): Promise<ContextRecord> {
  const context = await findWritable(repositories, access, wanted.contextId)
  const leftBytes = context.maxSizeBytes - (await repositories.uploads.usedBytes(wanted.contextId))
  const maxBytes = await maxFileBytesFor(repositories, wanted, leftBytes)
  if (wanted.sizeBytes > Math.min(maxBytes, options.maxFileBytes ?? maxBytes)) throw tooLarge(context, options)
  return context
}

interface FinishedUpload {
  readonly uuid: string
  readonly originalName: string
  readonly contentType: string
  readonly file: StoredFile
  readonly metadata: DocumentMetadata
}

function tooLarge(context: ContextRecord, options: UploadOptions): QuotaExceededError {
  const { maxFileBytes } = options
  if (maxFileBytes !== undefined && maxFileBytes < context.maxSizeBytes) {
    return new QuotaExceededError(
      `the file has more than ${maxFileBytes} bytes, or does not fit in the rest of the context's ${context.maxSizeBytes} bytes`,
    )
  }
  return new QuotaExceededError(
    `the file does not fit: all documents of context ${context.id} together may have ${context.maxSizeBytes} bytes; delete some, or raise settings.maxSizeBytes`,
  )
}

/** Returns the metadata of an upload, as soon as they are known. */
type MetadataReader = () => Promise<DocumentMetadata>

/** @throws InvalidInputError at once, unless the metadata are a promise */
function metadataReader(given: NewDocument['metadata']): MetadataReader {
  if (typeof given === 'object' && 'then' in given && typeof given.then === 'function') {
    const pending = Promise.resolve(given)
    // If the upload fails first, nothing awaits the promise.
    pending.catch(() => undefined)
    return async () => parseMetadata(await pending)
  }
  const metadata = parseMetadata(given)
  return async () => metadata
}

function pickSignal({ signal }: UploadOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

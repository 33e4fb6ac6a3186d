import { ASSISTANT, findWritable } from '../../contexts/index.js'
import { QuotaExceededError, ThrottledError } from '../../kernel/errors.js'
import type { EngineLimits } from '../../kernel/limits.js'
import { Places } from '../../kernel/scheduling/fair-scheduler.js'
import { choiceSchema, integerSchema, refuseUnknownMembers, validate } from '../../kernel/validate.js'
import {
  type ContextRecord,
  type DocumentMetadata,
  type FileStore,
  type Repositories,
  type Storage,
  type StoredFile,
  type TextExtractor,
  UPLOAD_TTL_MS,
} from '../../ports/index.js'
import { type Access, type Authorizer, type CallTurns, type Principal, parsePrincipal } from '../../tenancy/index.js'
import {
  firstHeldBytes,
  HeldQuota,
  leftBytesFor,
  maxFileBytesFor,
  uploadExpired,
  type WantedQuota,
  WITH_CONTEXT_LOCK,
} from './upload-quota.js'
import { type ByteSource, inspected, toByteSource, type UploadContent } from './upload-stream.js'

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

/** The input of a call that receives a file, as far as the receiver reads it. */
interface FileInput {
  readonly content: UploadContent
  readonly contentType?: 'text/plain' | undefined
}

const INPUT = ['fileName', 'content', 'metadata', 'contentType']
const OPTIONS = ['maxFileBytes', 'expectedBytes', 'signal']

/** A file whose bytes are stored. */
export interface ReceivedFile {
  readonly uuid: string
  readonly originalName: string
  readonly contentType: string
  readonly file: StoredFile
  /** Undefined if the caller gave none. */
  readonly metadata: DocumentMetadata | undefined
}

/** The result of a received file. */
interface CompletedFile {
  /** UUID of the version that has the bytes; another one than that of the file if a version has these bytes already. */
  readonly uuid: string
}

/** The purpose of a file: a new document, or the replacement of one. */
export interface FilePurpose<Completed extends CompletedFile> {
  readonly contextId: number
  readonly originalName: string
  /** The MIME type of a file whose name has no known extension, from the input or the replaced document. */
  readonly saidType?: string | undefined
  /** Public id of the document that the file is to replace. Undefined for a new document. */
  readonly replacedId?: number | undefined
  /** Returns the metadata as soon as they are known, once the content is stored. */
  readMetadata(): Promise<DocumentMetadata | undefined>
  /** Checks further conditions in the transaction that holds the first quota, before any byte is read. */
  require(repositories: Repositories): Promise<void>
  /** Makes a version of a document from the file, in a transaction that locks the context. */
  complete(repositories: Repositories, received: ReceivedFile, writer: Writer): Promise<Completed>
}

/** The part of a purpose that is checked before any byte arrives. */
type CheckedPurpose = Pick<FilePurpose<CompletedFile>, 'contextId' | 'replacedId' | 'require'>

/** The caller and the context of a received file, both checked in the present transaction. */
export interface Writer {
  readonly access: Access
  readonly context: ContextRecord
}

/** Bytes that are enough to recognise a format. */
const HEAD_BYTES = 4_096
/** For an upload above the limit: uploads take seconds. */
const RETRY_AFTER_SECONDS = 5
const EXPECTED_BYTES = integerSchema({ min: 0 }).optional()
const MAX_FILE_BYTES = integerSchema({ min: 0 }).optional()
const SAID_TYPE = choiceSchema(['text/plain']).optional()

/** Receives the files of documents: checks rights and quota, stores the bytes, and removes them after a failure. */
export class FileReceiver {
  readonly #places = new Places()

  constructor(
    private readonly storage: Storage,
    private readonly fileStore: FileStore,
    private readonly extractor: TextExtractor,
    private readonly authorizer: Authorizer,
    private readonly turns: CallTurns,
    private readonly limits: EngineLimits,
  ) {}

  /**
   * Receives a file, in a place of the caller's company.
   *
   * @param purposeOf returns the purpose for a caller that may write documents
   * @throws InvalidInputError for unknown members
   * @throws ThrottledError if the company has its maximum of running uploads
   */
  async receive<Completed extends CompletedFile>(
    principal: Principal,
    input: FileInput,
    options: UploadOptions,
    purposeOf: (access: Access) => FilePurpose<Completed> | Promise<FilePurpose<Completed>>,
  ): Promise<Completed> {
    const source = toByteSource((input as Partial<FileInput> | undefined)?.content)
    let freePlace = (): void => undefined
    try {
      refuseUnknownMembers(input, INPUT)
      refuseUnknownMembers(options, OPTIONS, 'option')
      validate(SAID_TYPE, input.contentType, 'contentType')
      const caller = parsePrincipal(principal)
      freePlace = this.#takePlace(caller)
      const { access, purpose } = await this.turns.run(caller, async () => {
        const allowed = await this.authorizer.authorize(caller, ASSISTANT, 'document:write')
        return { access: allowed, purpose: await purposeOf(allowed) }
      })
      return await this.#store(access, purpose, source, options)
    } finally {
      source.release()
      freePlace()
    }
  }

  /**
   * Checks if a file would be accepted, before any byte arrives.
   *
   * @param purposeOf as that of {@link receive}
   * @throws QuotaExceededError, ThrottledError and others
   */
  async check(
    principal: Principal,
    sizeBytes: number,
    options: UploadOptions,
    purposeOf: (access: Access) => CheckedPurpose | Promise<CheckedPurpose>,
  ): Promise<void> {
    const caller = parsePrincipal(principal)
    this.#takePlace(caller)()
    const access = await this.authorizer.authorize(caller, ASSISTANT, 'document:write')
    const { contextId, replacedId, require } = await purposeOf(access)
    const bytes = validate(EXPECTED_BYTES, sizeBytes, 'sizeBytes') ?? 0
    validate(MAX_FILE_BYTES, options.maxFileBytes, 'maxFileBytes')
    await this.storage.read(async (repositories) => {
      await requireQuota(repositories, access, { contextId, replacedId, sizeBytes: bytes }, options)
      await require(repositories)
    })
  }

  async #store<Completed extends CompletedFile>(
    access: Access,
    purpose: FilePurpose<Completed>,
    { bytes, sizeBytes }: ByteSource,
    options: UploadOptions,
  ): Promise<Completed> {
    const uuid = crypto.randomUUID()
    const { originalName, saidType, replacedId } = purpose
    const expectedBytes = sizeBytes ?? validate(EXPECTED_BYTES, options.expectedBytes, 'expectedBytes') ?? 0
    validate(MAX_FILE_BYTES, options.maxFileBytes, 'maxFileBytes')
    const context = await this.turns.run(access.principal, async () => {
      return await this.#reserve(access, uuid, purpose, expectedBytes, options)
    })
    const maxFileBytes = options.maxFileBytes ?? context.maxSizeBytes
    const holding = { uuid, originalName, replacedId, expectedBytes, maxFileBytes }
    const quota = new HeldQuota(this.storage, context, holding)
    try {
      let contentType = ''
      const content = inspected(quota.metered(bytes), HEAD_BYTES, async (head) => {
        contentType = (await this.extractor.identify(originalName, head, saidType)).contentType
      })
      const file = await this.fileStore.write(uuid, content, { maxBytes: maxFileBytes, ...pickSignal(options) })
      const metadata = await purpose.readMetadata()
      // A second time: the caller may have lost the right while the content arrived.
      return await this.turns.run(access.principal, async () => {
        const currentAccess = await this.authorizer.authorize(access.principal, ASSISTANT, 'document:write')
        return await this.#complete(currentAccess, purpose, { uuid, originalName, contentType, file, metadata })
      })
    } catch (error) {
      await this.#discard(uuid)
      throw error instanceof QuotaExceededError ? tooLarge(context, options) : error
    }
  }

  /** @returns a function that frees the place @throws ThrottledError */
  #takePlace({ companyId }: Principal): () => void {
    const { uploadsPerCompany } = this.limits
    const freePlace = this.#places.acquire({ [companyId]: uploadsPerCompany })
    if (typeof freePlace !== 'string') return freePlace
    const problem = `this company has its maximum of ${uploadsPerCompany} running uploads: wait until one of them is finished`
    throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
  }

  /** Checks that the expected bytes fit, and holds quota for the first of them. */
  async #reserve(
    access: Access,
    uuid: string,
    purpose: FilePurpose<CompletedFile>,
    expectedBytes: number,
    options: UploadOptions,
  ): Promise<ContextRecord> {
    const { contextId } = purpose
    const reserve = async (repositories: Repositories): Promise<ContextRecord> => {
      await repositories.contexts.lock(contextId)
      const context = await requireQuota(repositories, access, { ...purpose, sizeBytes: expectedBytes }, options)
      await purpose.require(repositories)
      const sizeBytes = firstHeldBytes(expectedBytes)
      await repositories.uploads.insert({ uuid, contextId, sizeBytes }, UPLOAD_TTL_MS)
      return context
    }
    return await this.storage.transaction(reserve, WITH_CONTEXT_LOCK)
  }

  /** Replaces the reservation by a version of a document. */
  async #complete<Completed extends CompletedFile>(
    access: Access,
    purpose: FilePurpose<Completed>,
    received: ReceivedFile,
  ): Promise<Completed> {
    const { contextId } = purpose
    const complete = async (repositories: Repositories): Promise<Completed> => {
      await repositories.contexts.lock(contextId)
      const context = await findWritable(repositories, access, contextId)
      if (!(await repositories.uploads.remove(received.uuid))) throw uploadExpired()
      return await purpose.complete(repositories, received, { access, context })
    }
    const completed = await this.storage.transaction(complete, WITH_CONTEXT_LOCK)
    if (completed.uuid !== received.uuid) await this.fileStore.delete(received.uuid)
    return completed
  }

  /** Removes the reservation and the file. Ignores errors: the caller gets the first error, and the sweep removes the rest. */
  async #discard(uuid: string): Promise<void> {
    await this.storage.transaction(({ uploads }) => uploads.remove(uuid)).catch(() => undefined)
    // The commit may have succeeded although its answer was lost: then a document owns the file.
    const mayBeDocument = await this.storage
      .read(async ({ documents }) => (await documents.getByUuid(uuid)) !== undefined)
      .catch(() => true)
    if (!mayBeDocument) await this.fileStore.delete(uuid).catch(() => undefined)
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
  const leftBytes = await leftBytesFor(repositories, context, wanted.replacedId)
  const maxBytes = await maxFileBytesFor(repositories, wanted, leftBytes)
  if (wanted.sizeBytes > Math.min(maxBytes, options.maxFileBytes ?? maxBytes)) throw tooLarge(context, options)
  return context
}

/** @throws QuotaExceededError if a received file does not fit in the context. Its reservation must be removed before. */
export async function requireRoom(
  repositories: Repositories,
  context: ContextRecord,
  sizeBytes: number,
  replacedId?: number,
): Promise<void> {
  if (sizeBytes > (await leftBytesFor(repositories, context, replacedId))) throw tooLarge(context, {})
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

function pickSignal({ signal }: UploadOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

import { type EngineLimits, requireBelow } from '../../kernel/limits.js'
import { parseId } from '../../kernel/validate.js'
import type { Clock, Repositories } from '../../ports/index.js'
import type { Principal } from '../../tenancy/index.js'
import { parseFileName, recordDocumentChange } from '../document.js'
import { enqueueIngestion } from '../document-jobs.js'
import { resetDocument } from '../documents.js'
import { type MetadataSource, metadataReader } from '../metadata.js'
import { UNPROCESSED } from '../versions.js'
import {
  type FilePurpose,
  type FileReceiver,
  type ReceivedFile,
  requireRoom,
  type UploadOptions,
  type Writer,
} from './receive-file.js'
import type { UploadContent } from './upload-stream.js'

/** The input of `documents.upload`. */
export interface NewDocument {
  /** The user's name for the file; its ending names the format. Only the last part of a path counts. */
  readonly fileName: string
  readonly content: UploadContent
  /**
   * `text/plain` for a text whose name has an ending that no format has, such as `notes` or `build.out`. A known ending
   * counts more. Default: the ending names the format.
   */
  readonly contentType?: 'text/plain' | undefined
  /**
   * Values by key: strings, numbers, booleans and lists of strings; at most 50 keys and 16,384 bytes as JSON. A promise
   * is awaited once the content is read. Default: none.
   */
  readonly metadata?: MetadataSource
}

/** Receives a training document. It returns once the bytes are stored; a job then makes the text searchable. */
export class UploadDocument {
  constructor(
    private readonly receiver: FileReceiver,
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
  ) {}

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
    const { uuid } = await this.receiver.receive(principal, input, options, () => {
      const id = parseId(contextId, 'contextId')
      return this.#purpose(id, parseFileName(input.fileName), input)
    })
    return uuid
  }

  /**
   * Checks if a file of this size would be accepted, before any byte arrives. It may be the file of an existing document,
   * which needs no place of its own: the limit of documents is checked once the name is known.
   *
   * @throws as {@link execute}
   */
  async check(
    principal: Principal,
    contextId: number,
    sizeBytes: number,
    options: Pick<UploadOptions, 'maxFileBytes'> = {},
  ): Promise<void> {
    await this.receiver.check(principal, sizeBytes, options, () => {
      const id = parseId(contextId, 'contextId')
      return { contextId: id, require: async () => undefined }
    })
  }

  #purpose(
    contextId: number,
    originalName: string,
    { contentType, metadata }: Pick<NewDocument, 'contentType' | 'metadata'>,
  ): FilePurpose<{ readonly uuid: string }> {
    return {
      contextId,
      originalName,
      saidType: contentType,
      readMetadata: metadataReader(metadata),
      require: async (repositories) => {
        // With an existing name it may be the existing document, which needs no place of its own.
        const isNewName = (await repositories.documents.nextNameIndex(contextId, originalName)) === 0
        if (isNewName) await this.#requireDocumentPlace(repositories, contextId)
      },
      complete: async (repositories, received, writer) => ({
        uuid: await this.#complete(repositories, received, writer),
      }),
    }
  }

  /** Adds a document and its job, or finds the existing document. @returns its UUID */
  async #complete(
    repositories: Repositories,
    { uuid, originalName, contentType, file, metadata = {} }: ReceivedFile,
    { access, context }: Writer,
  ): Promise<string> {
    const { documents } = repositories
    const existing = await documents.findSame(context.id, file.sha256, originalName)
    if (existing !== undefined) {
      if (existing.error === null) return existing.uuid
      await resetDocument(repositories, existing, context)
      await recordDocumentChange(repositories, access, this.clock.now(), 'document.retried', existing)
      return existing.uuid
    }
    await requireRoom(repositories, context, file.sizeBytes)
    await this.#requireDocumentPlace(repositories, context.id)
    const document = await documents.insert({
      uuid,
      contextId: context.id,
      originalName,
      nameIndex: await documents.nextNameIndex(context.id, originalName),
      replaces: null,
      generation: null,
      displayName: null,
      metadata,
      contentType,
      contentHash: file.sha256,
      sizeBytes: file.sizeBytes,
      created: this.clock.now().toISOString(),
      createdBy: access.principal.userId,
      deleted: null,
      ...UNPROCESSED,
    })
    await enqueueIngestion(repositories, document, context)
    await recordDocumentChange(repositories, access, this.clock.now(), 'document.uploaded', document)
    return uuid
  }

  async #requireDocumentPlace({ documents }: Repositories, contextId: number): Promise<void> {
    requireBelow(this.limits, 'documentsPerContext', contextId, await documents.count(contextId))
  }
}

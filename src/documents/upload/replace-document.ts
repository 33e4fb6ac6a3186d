import { NotFoundError } from '../../kernel/errors.js'
import type { Clock, DocumentRecord, Repositories, Storage } from '../../ports/index.js'
import type { Access, Principal } from '../../tenancy/index.js'
import { type DocumentReference, findDocument, parseFileName, recordDocumentChange } from '../document.js'
import { enqueueIngestion, INGEST_DOCUMENT } from '../document-jobs.js'
import { resetDocument } from '../documents.js'
import { changeVersion } from '../index-name.js'
import { isSameMetadata, type MetadataSource, metadataReader } from '../metadata.js'
import { type DocumentVersions, deleteVersions, findVersions, UNPROCESSED } from '../versions.js'
import {
  type FilePurpose,
  type FileReceiver,
  type ReceivedFile,
  requireRoom,
  type UploadOptions,
  type Writer,
} from './receive-file.js'
import type { UploadContent } from './upload-stream.js'

/** The input of `documents.replace`. */
export interface NewVersion {
  /** Default: the document keeps its name. Its ending names the format. Only the last part of a path counts. */
  readonly fileName?: string | undefined
  readonly content: UploadContent
  /**
   * `text/plain` for a text whose name has an ending that no format has, such as `notes` or `build.out`. A known ending
   * counts more. Default: that of the document, if it keeps its name.
   */
  readonly contentType?: 'text/plain' | undefined
  /** As for an upload; it takes effect with the new version. Default: the document keeps its metadata. */
  readonly metadata?: MetadataSource
}

/** The result of a replacement that was accepted. */
interface AcceptedReplacement {
  /** UUID of the version that has the bytes. */
  readonly uuid: string
  /** Ids of earlier replacements that this one has removed. */
  readonly removedIds: readonly number[]
}

/**
 * Receives a new version of a document. It returns once the bytes are stored. A job then processes them, and makes the
 * new version the current one. Until then, searches find the old one.
 */
export class ReplaceDocument {
  constructor(
    private readonly storage: Storage,
    private readonly receiver: FileReceiver,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the UUID of the new version; for the same bytes in the same format, the UUID of the existing version, which
   *   has the name of the file at once
   * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also if the document is deleted while the bytes arrive
   * @throws QuotaExceededError if the context without the old version has no room for the new one
   * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`, `ERR_WRONG_TYPE`, `ERR_EMPTY_FILE`
   * @throws LeaseLostError if no bytes arrived for more than ten minutes
   * @throws ThrottledError if the company has its maximum of running uploads
   */
  async execute(
    principal: Principal,
    reference: DocumentReference,
    input: NewVersion,
    options: UploadOptions = {},
  ): Promise<AcceptedReplacement> {
    return await this.receiver.receive(principal, input, options, async (access) => {
      const name = input.fileName === undefined ? undefined : parseFileName(input.fileName)
      return await this.#purposeOf(access, reference, { ...input, fileName: name })
    })
  }

  /**
   * Checks if a file of this size would be accepted, before any byte arrives.
   * @throws as {@link execute}
   */
  async check(
    principal: Principal,
    reference: DocumentReference,
    sizeBytes: number,
    options: Pick<UploadOptions, 'maxFileBytes'> = {},
  ): Promise<void> {
    await this.receiver.check(principal, sizeBytes, options, async (access) => {
      return await this.#purposeOf(access, reference)
    })
  }

  async #purposeOf(
    access: Access,
    reference: DocumentReference,
    { fileName, contentType, metadata }: Partial<NewVersion> = {},
  ): Promise<FilePurpose<AcceptedReplacement>> {
    const found = await this.storage.read((repositories) => findDocument(repositories, access, reference, 'write'))
    const { contextId, publicId, originalName } = found.document
    return {
      contextId,
      originalName: fileName ?? originalName,
      saidType: contentType ?? (fileName === undefined ? found.document.contentType : undefined),
      readMetadata: metadataReader(metadata),
      replacedId: publicId,
      // The document was found just now, and is found again once the bytes have arrived.
      require: async () => undefined,
      complete: async (repositories, received, writer) => {
        const versions = await lockVersions(repositories, found.document, received)
        return await this.#complete(repositories, received, writer, versions)
      },
    }
  }

  /** Adds the new version and its job, or finds the version that has these bytes. */
  async #complete(
    repositories: Repositories,
    received: ReceivedFile,
    { access, context }: Writer,
    versions: DocumentVersions,
  ): Promise<AcceptedReplacement> {
    const { current, replacement } = versions
    const { publicId } = current
    const audit = async (action: 'document.replaced' | 'document.retried' | 'document.updated') => {
      await recordDocumentChange(repositories, access, this.clock.now(), action, current)
    }
    const same = [replacement, current].find((version) => version !== undefined && isSame(version, received))
    const removed = replacement === undefined || replacement === same ? [] : [replacement.id]
    await deleteVersions(repositories, removed, this.clock.now().toISOString())
    if (same !== undefined) {
      if (same.error !== null) {
        await resetDocument(repositories, same, context)
        await audit('document.retried')
      } else if (removed.length > 0) {
        await audit('document.replaced')
      }
      const changes = {
        ...(received.originalName !== same.originalName && (await this.#nameOf(repositories, received, current))),
        ...(received.metadata !== undefined &&
          !isSameMetadata(received.metadata, same.metadata) && { metadata: received.metadata }),
      }
      if (Object.keys(changes).length > 0) {
        await changeVersion(repositories, same, changes)
        await audit('document.updated')
      }
      return { uuid: same.uuid, removedIds: removed }
    }
    await requireRoom(repositories, context, received.file.sizeBytes, publicId)
    const version = await repositories.documents.insert(await this.#newVersion(repositories, received, access, current))
    await enqueueIngestion(repositories, version, context)
    await audit('document.replaced')
    return { uuid: received.uuid, removedIds: removed }
  }

  async #newVersion(
    repositories: Repositories,
    received: ReceivedFile,
    access: Access,
    { id: replaces, ...current }: DocumentRecord,
  ): Promise<Omit<DocumentRecord, 'id'>> {
    const { uuid, contentType, file, metadata } = received
    return {
      ...current,
      ...UNPROCESSED,
      ...(await this.#nameOf(repositories, received, current)),
      uuid,
      replaces,
      metadata: metadata ?? current.metadata,
      contentType,
      contentHash: file.sha256,
      sizeBytes: file.sizeBytes,
      created: this.clock.now().toISOString(),
      createdBy: access.principal.userId,
    }
  }

  /** The members of a version that has the name of the file. */
  async #nameOf(
    { documents }: Repositories,
    { originalName }: ReceivedFile,
    { contextId, publicId, ...current }: Omit<DocumentRecord, 'id'>,
  ): Promise<Pick<DocumentRecord, 'originalName' | 'nameIndex'>> {
    if (originalName === current.originalName) return { originalName, nameIndex: current.nameIndex }
    return {
      originalName,
      nameIndex: await documents.nextNameIndex(contextId, originalName, { exceptPublicId: publicId }),
    }
  }
}

async function requireVersions(
  repositories: Repositories,
  contextId: number,
  publicId: number,
): Promise<DocumentVersions> {
  const versions = await findVersions(repositories, contextId, publicId)
  if (versions === undefined) throw new NotFoundError('document', publicId)
  return versions
}

/**
 * Waits for other transactions, and prevents later ones: a running job may complete the replacement that this one is to
 * remove, and a user may delete the document.
 *
 * @returns the versions after that
 */
async function lockVersions(
  repositories: Repositories,
  { contextId, publicId }: DocumentRecord,
  received: ReceivedFile,
): Promise<DocumentVersions> {
  for (;;) {
    const { current, replacement } = await requireVersions(repositories, contextId, publicId)
    if (replacement !== undefined && !isSame(replacement, received)) {
      await repositories.jobs.cancelAll([{ kind: INGEST_DOCUMENT, subject: replacement.id }])
    }
    // Not locked: another version took its place, or a user deleted the document, which the next read notices.
    if (await repositories.documents.lock(current.id)) return await requireVersions(repositories, contextId, publicId)
  }
}

/** True if the version has the text of the file: its bytes, read in the same format. Its name may be another one. */
function isSame(version: DocumentRecord, { contentType, file }: ReceivedFile): boolean {
  return version.contentHash === file.sha256 && version.contentType === contentType
}

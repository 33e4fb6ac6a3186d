import { LeaseLostError, QuotaExceededError } from '../../kernel/errors.js'
import {
  type ContextRecord,
  type DocumentRecord,
  type Repositories,
  type Storage,
  type TransactionOptions,
  UPLOAD_TTL_MS,
} from '../../ports/index.js'
import { findVersions } from '../versions.js'

/**
 * For transactions that lock a context and then add up the quota that its uploads hold. With this isolation, the sum
 * includes what other uploads committed during the wait for the lock.
 */
export const WITH_CONTEXT_LOCK: TransactionOptions = { isolation: 'read committed' }
const EXTEND_EVERY_MS = 60_000
/** Bytes that an upload holds ahead of its arrived bytes: a transaction for each piece would be slow. */
const STEP_BYTES = 1_048_576
/** The same limit for an upload of known size: a client that stalls must not keep more from others. */
const MAX_AHEAD_BYTES = 16 * 1_048_576
/** At most this part of the remaining quota is held ahead: other uploads may need it earlier. */
const MAX_AHEAD_SHARE = 1 / 16

/** Bytes of quota that an upload holds before its first byte arrives. @param expectedBytes 0 if the size is unknown */
export function firstHeldBytes(expectedBytes: number): number {
  return Math.min(expectedBytes, MAX_AHEAD_BYTES)
}

/** A file that needs quota. */
export interface WantedQuota {
  readonly contextId: number
  /** Undefined if the name is still unknown. */
  readonly originalName?: string
  readonly sizeBytes: number
  /** Public id of the document that the file is to replace. Undefined for a new document. */
  readonly replacedId?: number | undefined
}

/**
 * The bytes left of a context's quota. A replacement also has the room of the document that it replaces.
 * @param replacedId public id of that document
 */
export async function leftBytesFor(
  repositories: Repositories,
  { id, maxSizeBytes }: Pick<ContextRecord, 'id' | 'maxSizeBytes'>,
  replacedId: number | undefined,
): Promise<number> {
  const leftBytes = maxSizeBytes - (await repositories.uploads.usedBytes(id))
  const versions = replacedId === undefined ? undefined : await findVersions(repositories, id, replacedId)
  if (versions === undefined) return leftBytes
  const { current, replacement } = versions
  return leftBytes + Math.max(quotaBytesOf(current), replacement === undefined ? 0 : quotaBytesOf(replacement))
}

/** The bytes of its context's quota that a version uses. */
export function quotaBytesOf({ sizeBytes, excessBytes }: Pick<DocumentRecord, 'sizeBytes' | 'excessBytes'>): number {
  return sizeBytes + excessBytes
}

/**
 * The most bytes that a file may have now. A file with the same bytes and name as an existing document needs no quota in
 * the end. One such upload at a time may exceed the quota while it arrives.
 *
 * @param leftBytes bytes left of the quota; below 0 while such an upload runs
 */
export async function maxFileBytesFor(
  { documents }: Repositories,
  { contextId, originalName, sizeBytes }: WantedQuota,
  leftBytes: number,
): Promise<number> {
  if (sizeBytes <= leftBytes || leftBytes < 0) return Math.max(0, leftBytes)
  return Math.max(leftBytes, await documents.largestBytes(contextId, originalName))
}

/** An upload that holds a part of its context's quota. */
interface HoldingUpload {
  readonly uuid: string
  readonly originalName: string
  /** Public id of the document that it replaces. */
  readonly replacedId: number | undefined
  readonly expectedBytes: number
  readonly maxFileBytes: number
}

/** The part of its context's quota that an upload holds. It grows ahead of the arriving bytes. */
export class HeldQuota {
  readonly #uuid: string
  readonly #originalName: string
  readonly #replacedId: number | undefined
  readonly #expectedBytes: number
  readonly #maxFileBytes: number
  #heldBytes: number
  #arrivedBytes = 0
  #renewedAt = performance.now()

  /** @param upload the inserted upload, which holds {@link firstHeldBytes} of its expected bytes */
  constructor(
    private readonly storage: Storage,
    private readonly context: ContextRecord,
    upload: HoldingUpload,
  ) {
    this.#uuid = upload.uuid
    this.#originalName = upload.originalName
    this.#replacedId = upload.replacedId
    this.#expectedBytes = upload.expectedBytes
    this.#heldBytes = firstHeldBytes(upload.expectedBytes)
    this.#maxFileBytes = upload.maxFileBytes
  }

  /**
   * Passes bytes on once the upload holds quota for them.
   * @throws QuotaExceededError if they do not fit; then the upload holds nothing
   * @throws LeaseLostError if no bytes arrived for so long that the upload was aborted
   */
  async *metered(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      this.#arrivedBytes += piece.byteLength
      if (this.#arrivedBytes > this.#heldBytes) await this.#grow()
      else if (performance.now() - this.#renewedAt > EXTEND_EVERY_MS) await this.#renew()
      yield piece
    }
  }

  async #grow(): Promise<void> {
    const { id: contextId } = this.context
    const heldBytes = await this.storage.transaction(async (repositories) => {
      const { contexts, uploads } = repositories
      await contexts.lock(contextId)
      const leftBytes = (await leftBytesFor(repositories, this.context, this.#replacedId)) + this.#heldBytes
      const arrived = { contextId, originalName: this.#originalName, sizeBytes: this.#arrivedBytes }
      const maxBytes = Math.min(await maxFileBytesFor(repositories, arrived, leftBytes), this.#maxFileBytes)
      if (this.#arrivedBytes > maxBytes) {
        // At once: if two uploads do not fit together, the other one may need this quota for its next byte.
        await uploads.remove(this.#uuid)
        return undefined
      }
      const grownBytes = this.#arrivedBytes + this.#aheadBytes(maxBytes - this.#arrivedBytes)
      if (!(await uploads.hold(this.#uuid, grownBytes, UPLOAD_TTL_MS))) throw uploadExpired()
      return grownBytes
    }, WITH_CONTEXT_LOCK)
    if (heldBytes === undefined)
      throw new QuotaExceededError(
        'the file does not fit in the quota that is left: delete documents, or raise settings.maxSizeBytes',
      )
    this.#heldBytes = heldBytes
    this.#renewedAt = performance.now()
  }

  /** Holds expected bytes up to a limit, if there is room, and unexpected ones only in small steps. */
  #aheadBytes(leftBytes: number): number {
    const known = Math.min(this.#expectedBytes - this.#arrivedBytes, MAX_AHEAD_BYTES, leftBytes)
    return Math.max(known, Math.min(STEP_BYTES, Math.floor(leftBytes * MAX_AHEAD_SHARE)))
  }

  async #renew(): Promise<void> {
    if (!(await this.storage.transaction(({ uploads }) => uploads.extend(this.#uuid, UPLOAD_TTL_MS))))
      throw uploadExpired()
    this.#renewedAt = performance.now()
  }
}

/** The upload expired: the sweep may have removed its file. */
export function uploadExpired(): LeaseLostError {
  return new LeaseLostError('no bytes arrived for so long that the upload was aborted: send the file a second time')
}

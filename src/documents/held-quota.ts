import { LeaseLostError, QuotaExceededError } from '../kernel/errors.js'
import type { ContextRecord, Repositories, Storage, TransactionOptions } from '../ports/index.js'

/** How long an upload holds its quota after the last byte that came. */
export const UPLOAD_TTL_MS: number = 10 * 60_000
/** Uploads into one context wait for each other, where each adds up what the others hold. */
export const WITH_CONTEXT_HELD: TransactionOptions = { isolation: 'read committed' }
const EXTEND_EVERY_MS = 60_000
/** Bytes held ahead of those that have arrived: a transaction for every piece would be slow. */
const STEP_BYTES = 1_048_576
/** Bytes that an upload of a known size holds ahead of those that have arrived: a client that stalls keeps no more from others. */
const MOST_AHEAD_BYTES = 16 * 1_048_576
/** At most this part of what is left is held ahead: what one upload does not need yet must not be refused to another. */
const STEP_PART = 1 / 16

/** How much of the quota an upload holds before a byte of it has arrived. @param expectedBytes 0 where its size is not known */
export function firstHeldBytes(expectedBytes: number): number {
  return Math.min(expectedBytes, MOST_AHEAD_BYTES)
}

/** A file that wants room. */
export interface WantedRoom {
  readonly contextId: number
  /** Unless it is known yet. */
  readonly originalName?: string
  readonly sizeBytes: number
}

/**
 * Most bytes that a file may have which arrives now. The same bytes under the same name as a document that is there need
 * no room in the end, and arrive beyond the quota meanwhile: those of one upload at a time.
 *
 * @param leftBytes of the quota; below 0 where such an upload is under way
 */
export async function roomFor(
  { documents }: Repositories,
  { contextId, originalName, sizeBytes }: WantedRoom,
  leftBytes: number,
): Promise<number> {
  if (sizeBytes <= leftBytes || leftBytes < 0) return Math.max(0, leftBytes)
  return Math.max(leftBytes, await documents.largestBytes(contextId, originalName))
}

/** An upload that holds a part of its context's quota. */
interface HoldingUpload {
  readonly uuid: string
  readonly originalName: string
  readonly expectedBytes: number
  readonly maxFileBytes: number
}

/** The part of its context's quota that an upload holds. It grows with the bytes that arrive, ahead of them. */
export class HeldQuota {
  readonly #storage: Storage
  readonly #context: ContextRecord
  readonly #uuid: string
  readonly #originalName: string
  readonly #expectedBytes: number
  readonly #maxFileBytes: number
  #heldBytes: number
  #arrivedBytes = 0
  #renewed = performance.now()

  /** @param upload as it was inserted, holding {@link firstHeldBytes} of the bytes that are expected */
  constructor(storage: Storage, context: ContextRecord, upload: HoldingUpload) {
    this.#storage = storage
    this.#context = context
    this.#uuid = upload.uuid
    this.#originalName = upload.originalName
    this.#expectedBytes = upload.expectedBytes
    this.#heldBytes = firstHeldBytes(upload.expectedBytes)
    this.#maxFileBytes = upload.maxFileBytes
  }

  /**
   * Passes bytes on once they are held.
   * @throws QuotaExceededError where they do not fit; nothing is held any longer then
   * @throws LeaseLostError where nothing has come for so long that the upload was given up
   */
  async *metered(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      this.#arrivedBytes += piece.byteLength
      if (this.#arrivedBytes > this.#heldBytes) await this.#grow()
      else if (performance.now() - this.#renewed > EXTEND_EVERY_MS) await this.#renew()
      yield piece
    }
  }

  async #grow(): Promise<void> {
    const { id: contextId, maxSizeBytes } = this.#context
    const heldBytes = await this.#storage.transaction(async (repositories) => {
      const { contexts, uploads } = repositories
      await contexts.lock(contextId)
      const ofOthers = (await uploads.usedBytes(contextId)) - this.#heldBytes
      const arrived = { contextId, originalName: this.#originalName, sizeBytes: this.#arrivedBytes }
      const most = Math.min(await roomFor(repositories, arrived, maxSizeBytes - ofOthers), this.#maxFileBytes)
      if (this.#arrivedBytes > most) {
        // At once: of two uploads that do not fit together, the other one may need it for its next byte.
        await uploads.remove(this.#uuid)
        return undefined
      }
      const held = this.#arrivedBytes + this.#aheadBytes(most - this.#arrivedBytes)
      if (!(await uploads.hold(this.#uuid, held, UPLOAD_TTL_MS))) throw uploadExpired()
      return held
    }, WITH_CONTEXT_HELD)
    if (heldBytes === undefined) throw new QuotaExceededError('the file does not fit in what is left of the quota')
    this.#heldBytes = heldBytes
    this.#renewed = performance.now()
  }

  /** Bytes that may be expected are held where there is room; those that may never come only in small steps. */
  #aheadBytes(leftBytes: number): number {
    const known = Math.min(this.#expectedBytes - this.#arrivedBytes, MOST_AHEAD_BYTES, leftBytes)
    return Math.max(known, Math.min(STEP_BYTES, Math.floor(leftBytes * STEP_PART)))
  }

  async #renew(): Promise<void> {
    if (!(await this.#storage.transaction(({ uploads }) => uploads.extend(this.#uuid, UPLOAD_TTL_MS))))
      throw uploadExpired()
    this.#renewed = performance.now()
  }
}

/** The sweep may have removed its file by now. */
export function uploadExpired(): LeaseLostError {
  return new LeaseLostError('nothing came for so long that the upload was given up: send the file again')
}

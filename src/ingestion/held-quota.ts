import type { ContextRecord, Storage, TransactionOptions } from '../ports/index.js'
import { LeaseLostError, QuotaExceededError } from '../shared/errors.js'

/** How long an upload holds its quota after the last byte that came. */
export const UPLOAD_TTL_MS: number = 10 * 60_000
/** Uploads into one context wait for each other, where each adds up what the others hold. */
export const WITH_CONTEXT_HELD: TransactionOptions = { isolation: 'read committed' }
const EXTEND_EVERY_MS = 60_000
/** Bytes held ahead of those that have arrived: a transaction for every piece would be slow. */
const STEP_BYTES = 1_048_576
/** At most this part of what is left is held ahead: what one upload does not need yet must not be refused to another. */
const STEP_PART = 1 / 16

/** The part of its context's quota that an upload holds. It grows with the bytes that arrive, ahead of them. */
export class HeldQuota {
  readonly #storage: Storage
  readonly #context: ContextRecord
  readonly #uuid: string
  readonly #maxFileBytes: number
  #heldBytes: number
  #arrivedBytes = 0
  #renewed = performance.now()

  /** @param upload as it was inserted, with the bytes it holds from the beginning */
  constructor(
    storage: Storage,
    context: ContextRecord,
    upload: { readonly uuid: string; readonly heldBytes: number; readonly maxFileBytes: number },
  ) {
    this.#storage = storage
    this.#context = context
    this.#uuid = upload.uuid
    this.#heldBytes = upload.heldBytes
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
    const heldBytes = await this.#storage.transaction(async ({ contexts, uploads }) => {
      await contexts.lock(this.#context.id)
      const ofOthers = (await uploads.usedBytes(this.#context.id)) - this.#heldBytes
      const most = Math.min(this.#context.maxSizeBytes - ofOthers, this.#maxFileBytes)
      if (this.#arrivedBytes > most) {
        // At once: of two uploads that do not fit together, the other one may need it for its next byte.
        await uploads.remove(this.#uuid)
        return undefined
      }
      const ahead = Math.min(STEP_BYTES, Math.floor((most - this.#arrivedBytes) * STEP_PART))
      const held = this.#arrivedBytes + ahead
      if (!(await uploads.hold(this.#uuid, held, UPLOAD_TTL_MS))) throw uploadExpired()
      return held
    }, WITH_CONTEXT_HELD)
    if (heldBytes === undefined) throw new QuotaExceededError('the file does not fit in what is left of the quota')
    this.#heldBytes = heldBytes
    this.#renewed = performance.now()
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

import { HttpError } from './problem.js'

/** The bytes of each body that are not counted: small requests pass while large ones are received. */
export const FREE_BYTES = 16_384
const MAX_BYTES = 67_108_864
const MAX_BYTES_OF_COMPANY = 16_777_216
const RETRY_AFTER = { 'retry-after': '1' }

/** The part of the budget that one body uses. */
export interface HeldBytes {
  /** Raises the total of this body. @throws HttpError 429 above the limit of the company, 503 above the limit of all */
  readonly grow: (toBytes: number) => void
  readonly free: () => void
}

/**
 * The memory for bodies that are being received. Each company may use only a part of it, so that the others keep some.
 */
export class BodyBudget {
  readonly #bytesOfCompanies = new Map<number, number>()
  #bytes = 0

  /** @param companyId the caller's company; 0 if it is unknown */
  hold(companyId: number): HeldBytes {
    let held = 0
    const change = (bytes: number): void => {
      held += bytes
      this.#bytes += bytes
      const total = (this.#bytesOfCompanies.get(companyId) ?? 0) + bytes
      if (total === 0) this.#bytesOfCompanies.delete(companyId)
      else this.#bytesOfCompanies.set(companyId, total)
    }
    return {
      grow: (toBytes) => {
        const growth = Math.max(0, toBytes - FREE_BYTES) - held
        if (growth <= 0) return
        this.#requireRoom(companyId, growth)
        change(growth)
      },
      free: () => change(-held),
    }
  }

  #requireRoom(companyId: number, growth: number): void {
    if ((this.#bytesOfCompanies.get(companyId) ?? 0) + growth > MAX_BYTES_OF_COMPANY) {
      const problem = `this company sends more than ${MAX_BYTES_OF_COMPANY} bytes of bodies at the same time: wait until some requests are answered`
      throw new HttpError(429, 'ERR_THROTTLED', problem, RETRY_AFTER)
    }
    if (this.#bytes + growth > MAX_BYTES) {
      throw new HttpError(503, 'ERR_BUSY', 'the service receives too many large bodies: retry later', RETRY_AFTER)
    }
  }
}

import { HttpError } from './problem.js'

/** Bytes of a body that are not counted: small requests pass, whatever large ones are under way. */
const FREE_BYTES = 16_384
const MOST_BYTES = 67_108_864
const MOST_BYTES_OF_COMPANY = 16_777_216
const RETRY_AFTER = { 'retry-after': '1' }

/** What one body holds of the budget. */
export interface HeldBytes {
  /** Holds so many bytes in all. @throws HttpError 429 where the company has too many, 503 where all have */
  grow(toBytes: number): void
  free(): void
}

/**
 * Memory for bodies that are being received. Those of one company have a part of it, so that a company cannot keep the
 * others out.
 */
export class BodyBudget {
  readonly #ofCompanies = new Map<number, number>()
  #bytes = 0

  /** @param companyId the caller's company; 0 where nobody knows it */
  hold(companyId: number): HeldBytes {
    let held = 0
    const change = (bytes: number): void => {
      held += bytes
      this.#bytes += bytes
      const left = (this.#ofCompanies.get(companyId) ?? 0) + bytes
      if (left === 0) this.#ofCompanies.delete(companyId)
      else this.#ofCompanies.set(companyId, left)
    }
    return {
      grow: (toBytes) => {
        const more = Math.max(0, toBytes - FREE_BYTES) - held
        if (more <= 0) return
        this.#require(companyId, more)
        change(more)
      },
      free: () => change(-held),
    }
  }

  #require(companyId: number, more: number): void {
    if ((this.#ofCompanies.get(companyId) ?? 0) + more > MOST_BYTES_OF_COMPANY) {
      const problem = `this company sends bodies of more than ${MOST_BYTES_OF_COMPANY} bytes together: wait until some have arrived`
      throw new HttpError(429, 'ERR_THROTTLED', problem, RETRY_AFTER)
    }
    if (this.#bytes + more > MOST_BYTES) {
      throw new HttpError(503, 'ERR_BUSY', 'the service receives as many bodies as it can hold: try again', RETRY_AFTER)
    }
  }
}

/** The part that all receivers of webhooks share: verify, deduplicate, act, answer. */
import {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookMalformedError,
  WebhookSignatureError,
} from 'alcove/webhooks'

/** Events have a few hundred bytes. A larger body comes from another sender, and is not read to its end. */
export const MAX_BODY_BYTES = 1_000_000

export interface WebhookReceiverOptions {
  /** The destination's signing secret; the old and the new one while it is being rotated. */
  readonly secret: string | readonly string[]
  /** Acts on an event. Put long work into a queue: the sender waits for five seconds. */
  readonly act: (event: WebhookEvent) => Promise<void> | void
}

export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions
  readonly #events = new EventsActedOn()

  constructor(options: WebhookReceiverOptions) {
    this.#options = options
  }

  /** @returns the HTTP status to answer with (docs/explanation/specification.md, Errors, rule 5) */
  async receive(rawBody: Uint8Array, headers: WebhookHeaders): Promise<number> {
    try {
      const event = await verifyWebhook(rawBody, headers, this.#options.secret)
      await this.#events.once(event.id, async () => {
        await this.#options.act(event)
      })
      // Duplicates too, and events that nobody here has a use for: a 4xx would count as a failure.
      return 204
    } catch (error) {
      if (error instanceof WebhookSignatureError) return 401
      if (error instanceof WebhookMalformedError) return 400
      console.error(error)
      return 500 // is sent again
    }
  }
}

/**
 * The last events, by their ids. The process forgets them when it ends, and other processes do not know them.
 *
 * In production, insert the id into a table with a unique key, in the transaction that acts on the event. An insert
 * of the same id waits for that transaction, then fails: the event is a duplicate. After a rollback it may come again.
 */
class EventsActedOn {
  readonly #outcomes = new Map<string, Promise<void>>()
  readonly #capacity = 10_000

  /**
   * Acts on an event unless that was done. While it is under way, a duplicate waits and shares its outcome:
   * an answer of success is final to the sender, and what then failed would be lost.
   */
  async once(id: string, act: () => Promise<void>): Promise<void> {
    let outcome = this.#outcomes.get(id)
    if (outcome === undefined) {
      outcome = act().catch((error: unknown) => {
        this.#outcomes.delete(id) // it is new again
        throw error
      })
      this.#remember(id, outcome)
    }
    await outcome
  }

  #remember(id: string, outcome: Promise<void>): void {
    this.#outcomes.set(id, outcome)
    // A map keeps the order in which its members came.
    const [oldest] = this.#outcomes.keys()
    if (this.#outcomes.size > this.#capacity && oldest !== undefined) this.#outcomes.delete(oldest)
  }
}

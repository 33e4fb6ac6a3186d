/** What receivers of webhooks have in common, whatever serves them: verify, deduplicate, act, answer. */
import {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookMalformedError,
  WebhookSignatureError,
} from 'alcove/webhooks'

/** Events have a few hundred bytes. What is larger than this comes from somebody else, and is not read on. */
export const MAX_BODY_BYTES = 1_000_000

export interface WebhookReceiverOptions {
  /** The destination's signing secret; the old and the new one while it is being rotated. */
  readonly secret: string | readonly string[]
  /** Does what an event asks for. What takes long goes into a queue: the sender waits for five seconds. */
  readonly act: (event: WebhookEvent) => Promise<void> | void
}

export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions
  readonly #seen = new SeenEvents()

  constructor(options: WebhookReceiverOptions) {
    this.#options = options
  }

  /** @returns the HTTP status to answer with (specification, Errors, rule 5) */
  async receive(rawBody: Uint8Array, headers: WebhookHeaders): Promise<number> {
    try {
      const event = await verifyWebhook(rawBody, headers, this.#options.secret)
      if (this.#seen.claim(event.id)) await this.#act(event)
      // Duplicates too, and events that nobody here has a use for: a 4xx would count as a failure.
      return 204
    } catch (error) {
      if (error instanceof WebhookSignatureError) return 401
      if (error instanceof WebhookMalformedError) return 400
      console.error(error)
      return 500 // is sent again
    }
  }

  async #act(event: WebhookEvent): Promise<void> {
    try {
      await this.#options.act(event)
    } catch (error) {
      this.#seen.release(event.id)
      throw error
    }
  }
}

/**
 * The ids of the last events. They are forgotten with the process, and other processes do not know of them.
 * A receiver in earnest inserts the id into a table of its database where it is a unique key, in the very
 * transaction that does what the event asks for: an insert that fails is a duplicate, and what was rolled
 * back may come again.
 */
class SeenEvents {
  readonly #ids = new Set<string>()
  readonly #capacity = 10_000

  /** Whether an event is new. From now on it is not. */
  claim(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    // A set keeps the order in which its members came.
    const [oldest] = this.#ids
    if (this.#ids.size > this.#capacity && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }

  /** Makes an event new again that could not be acted on. */
  release(id: string): void {
    this.#ids.delete(id)
  }
}

/** A chunk that a search found, as a reranker reads it. */
export interface RerankHit {
  /** The name of its document; at most 300 UTF-16 units. */
  readonly name: string
  /** The headings above it, the outermost first; at most 300 UTF-16 units together. */
  readonly headings: readonly string[]
  /** Its text, or the part around its best passage; at most 2,000 UTF-16 units. */
  readonly text: string
}

/** Options of {@link Reranker.rerank}. */
export interface RerankOptions {
  /** Ends the call: nobody waits for its scores. Default: no signal. */
  readonly signal?: AbortSignal
}

/**
 * Scores the best hits of a search once more, by reading each together with the prompt, as a cross-encoder does. The
 * engine then orders the hits by these scores.
 *
 * # Behaviour
 * - Concurrent calls are allowed. The engine makes at most {@link concurrency} calls at a time.
 * - The engine waits at most 2 s for scores. A failure, or scores that are missing or not finite, keep the order of
 *   before. So a call makes few retries, or none.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface Reranker {
  /** The name that explanations and telemetry show, such as `bge-reranker-v2-m3`. It contains no secret. */
  readonly id: string
  /** Number of concurrent calls that the reranker can use well. 1 or more. Default: 4. */
  readonly concurrency?: number

  /**
   * Scores hits: the higher, the better the hit answers the prompt.
   *
   * - Scores are finite numbers of any scale, such as logits or probabilities. Only scores of one call are compared.
   * - Does not block the event loop for more than 50 ms.
   * - Rejects with the signal's reason as soon as the signal is aborted.
   * - An error contains no secret, and neither the prompt nor the texts.
   *
   * @param prompt at most 4,000 UTF-16 units
   * @param hits at most 100
   * @returns one score for each hit, in the order of `hits`; empty without hits
   * @throws ModelError `ERR_MODEL_UNAVAILABLE` while a model that runs elsewhere is away; `ERR_MODEL_REFUSED` if it
   *   refuses the request; `ERR_MODEL_UNSUPPORTED` for an answer that is none
   */
  rerank(prompt: string, hits: readonly RerankHit[], options?: RerankOptions): Promise<readonly number[]>

  /** Frees what the reranker holds. Calls in progress may reject with `ERR_CLOSED`. A second call does nothing. */
  close(): Promise<void>
}

/** @returns a hit as one text: its name, its headings and its text, each on lines of its own */
export function rerankText({ name, headings, text }: RerankHit): string {
  return [name, headings.join(' / '), text].filter((part) => part !== '').join('\n')
}

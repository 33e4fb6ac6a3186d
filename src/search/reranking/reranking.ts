import { untilAborted, withAnySignal } from '../../kernel/scheduling/abort.js'
import { FairScheduler, type TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import { errorTypeOf, ModelError, type Reranker, type RerankHit, type Telemetry, tracerOf } from '../../ports/index.js'
import type { HistoryMessage } from '../history-words.js'
import { rerankPrompt } from './rerank-hit.js'

/** Number of the best chunks that a reranker scores, unless a search wants more results. */
const RERANKED = 50
/** Time for the wait for a turn and the call together, in milliseconds. */
const DEADLINE_MS = 2_000
/** Concurrent calls of a reranker that does not state its `concurrency`. */
const DEFAULT_CONCURRENCY = 4
/** Failures in a row after which no search asks the reranker for some time, in milliseconds. */
const [FAILURES, PAUSE_MS] = [3, 10_000]
/** A server may wish a longer pause than this. It is asked again after this time all the same. */
const LONGEST_WISH_MS = 60_000

/** A chunk that a search found, with the texts that the reranker reads. */
export interface RerankCandidate<Chunk> {
  readonly chunk: Chunk
  readonly hit: RerankHit
}

/** The prompt of a search with the messages before it, and whose it is. */
interface RerankCall {
  readonly prompt: string
  readonly history: readonly HistoryMessage[] | undefined
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
}

/** Chunks in their new order; or in the order of before, with the problem in one sentence. */
interface RerankedChunks<Chunk> {
  readonly chunks: readonly Chunk[]
  readonly problem: string | undefined
}

/**
 * Orders the best chunks of searches by the scores of the host's reranker. Calls take turns among companies. A failure
 * never fails a search: the order stays as it was. After some failures in a row there is a pause without calls, so that
 * a reranker that is away does not delay each search.
 */
export class Reranking {
  readonly #turns: FairScheduler
  /** Failures in a row. */
  #failures = 0
  #pausedUntil = 0

  /** @param deadlineMs default 2,000 */
  constructor(
    private readonly reranker: Reranker,
    private readonly telemetry: Telemetry,
    private readonly deadlineMs: number = DEADLINE_MS,
  ) {
    const { concurrency = DEFAULT_CONCURRENCY } = reranker
    // One company alone leaves a place free: its slow calls delay no call of another.
    this.#turns = new FairScheduler(concurrency, Math.max(1, concurrency - 1))
  }

  /** The name of the reranker. */
  get id(): string {
    return this.reranker.id
  }

  /** @returns the number of the best chunks that a search finds for the reranker */
  countFor(topN: number): number {
    return Math.max(RERANKED, topN)
  }

  /**
   * @param candidates the best first
   * @returns the chunks by the scores of the reranker. Equal ones keep their order
   * @throws the signal's reason
   */
  async order<Chunk extends { readonly score: number }>(
    { prompt, history, taker, signal }: RerankCall,
    candidates: readonly RerankCandidate<Chunk>[],
  ): Promise<RerankedChunks<Chunk>> {
    const chunks = candidates.map(({ chunk }) => chunk)
    if (chunks.length === 0) return { chunks, problem: undefined }
    if (performance.now() < this.#pausedUntil) {
      return {
        chunks,
        problem: `The reranker ${this.id} failed, and is not asked for some seconds: the order is that of before.`,
      }
    }
    const hits = candidates.map(({ hit }) => hit)
    const scores = await this.#scoresOf(rerankPrompt(prompt, history), hits, taker, signal)
    return typeof scores === 'string'
      ? { chunks, problem: scores }
      : { chunks: orderBy(chunks, scores), problem: undefined }
  }

  /** @returns a finite score for each hit, or the problem */
  async #scoresOf(
    prompt: string,
    hits: readonly RerankHit[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly number[] | string> {
    const startedAt = performance.now()
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new DeadlineError(this.deadlineMs)), this.deadlineMs)
    let askedAt = Infinity
    const ask = async (abort: AbortSignal): Promise<readonly number[]> => {
      askedAt = performance.now()
      // A reranker that ignores its signal must not keep its place.
      return checkScores(await untilAborted(this.reranker.rerank(prompt, hits, { signal: abort }), abort), hits.length)
    }
    try {
      const scores = await withAnySignal([signal, deadline.signal], async (abort) => {
        const options = { labels: { 'alcove.model.id': this.id }, attributes: { 'alcove.search.hits': hits.length } }
        return await tracerOf(this.telemetry).span('alcove.search.rerank', options, async () => {
          return await this.#turns.one(taker, ask, abort)
        })
      })
      this.#failures = 0
      return scores
    } catch (error) {
      signal?.throwIfAborted()
      const now = performance.now()
      // A call that began late, because others had its turn, says nothing about the reranker.
      const isLate = error instanceof DeadlineError && !(now - askedAt >= this.deadlineMs / 2)
      if (!isLate) this.#countFailure(error)
      const fields = { reranker: this.id, hits: hits.length, isLate, failures: this.#failures }
      const durationMs = now - startedAt
      this.telemetry.record({ name: 'search.rerank.failed', level: 'warn', fields, error, durationMs })
      return this.#problemOf(error, isLate)
    } finally {
      clearTimeout(timer)
    }
  }

  #countFailure(error: unknown): void {
    this.#failures += 1
    const wishMs = error instanceof ModelError ? (error.retryAfterMs ?? 0) : 0
    const pauseMs = Math.max(this.#failures >= FAILURES ? PAUSE_MS : 0, Math.min(wishMs, LONGEST_WISH_MS))
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pauseMs)
  }

  /** Never the message of an error: it may name servers. */
  #problemOf(error: unknown, isLate: boolean): string {
    const kept = 'the order is that of before'
    if (isLate) return `The reranker ${this.id} had no turn for this search in time: ${kept}.`
    if (!(error instanceof DeadlineError)) return `The reranker ${this.id} failed (${errorTypeOf(error)}): ${kept}.`
    return `The reranker ${this.id} did not answer within ${this.deadlineMs} ms: ${kept}.`
  }
}

class DeadlineError extends Error {
  constructor(deadlineMs: number) {
    super(`no scores within ${deadlineMs} ms`)
    this.name = 'TimeoutError'
  }
}

function checkScores(scores: unknown, count: number): readonly number[] {
  // A copy has no holes, which `every` would skip.
  const given: readonly unknown[] = Array.isArray(scores) ? Array.from(scores) : []
  if (given.length === count && given.every((score) => Number.isFinite(score))) return given as readonly number[]
  throw new ModelError('ERR_MODEL_UNSUPPORTED', `the reranker did not give a finite score for each of ${count} hits`)
}

function orderBy<Chunk extends { readonly score: number }>(
  chunks: readonly Chunk[],
  scores: readonly number[],
): readonly Chunk[] {
  const areShares = scores.every((score) => score >= 0 && score <= 1)
  return chunks
    .map((chunk, at) => ({ chunk, given: scores[at] ?? 0 }))
    .sort((one, other) => other.given - one.given)
    .map(({ chunk, given }) => ({ ...chunk, score: areShares ? given : 1 / (1 + Math.exp(-given)) }))
}

import { ThrottledError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import { FairScheduler, Places, type TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import type { EmbeddingModel, LexicalIndex, VectorIndex } from '../ports/index.js'
import type { CallTurns, Principal } from '../tenancy/index.js'

/** Concurrent calls of a model or an index that does not state its `concurrency`. */
const DEFAULT_MODEL_CONCURRENCY = 2
const DEFAULT_INDEX_CONCURRENCY = 8
/** A search takes some tens of milliseconds, so the first of those in progress finishes well within this time. */
const RETRY_AFTER_SECONDS = 1

/**
 * Gives searches their turns among companies, and within a company among its API keys. Refuses searches above the
 * limits.
 */
export class SearchTurns {
  /** Turns for calls of the vector index. */
  readonly vectors: FairScheduler
  /** Turns for calls of the word index. */
  readonly words: FairScheduler
  readonly #places = new Places()
  readonly #models = new WeakMap<EmbeddingModel, FairScheduler>()

  constructor(
    private readonly limits: EngineLimits,
    private readonly calls: CallTurns,
    vectors: VectorIndex,
    words: LexicalIndex,
  ) {
    this.vectors = turnsOfIndex(vectors)
    this.words = turnsOfIndex(words)
  }

  /**
   * Runs a search for a principal, in its turn among the calls of all companies.
   *
   * @throws ThrottledError if the principal, or its company, already runs as many searches as its limit allows
   */
  async search<Result>(principal: Principal, work: (taker: TurnTaker) => Promise<Result>): Promise<Result> {
    const { companyId, userId, origin } = principal
    const member = origin?.clientId === undefined ? userId : `key ${origin.clientId}`
    const { searchesPerKey, searchesPerCompany } = this.limits
    const company = `${companyId}`
    const free = this.#places.acquire({ [company]: searchesPerCompany, [`${company} ${member}`]: searchesPerKey })
    if (typeof free === 'string') {
      const holder = free === company ? 'this company' : origin?.clientId === undefined ? 'this user' : 'this API key'
      const most = free === company ? searchesPerCompany : searchesPerKey
      const problem = `${holder} already has ${most} searches in progress, the maximum: wait until one of them finishes`
      throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
    }
    try {
      return await this.calls.run(principal, work)
    } finally {
      free()
    }
  }

  /** @returns the turns for calls of a model */
  ofModel(model: EmbeddingModel): FairScheduler {
    const turns = this.#models.get(model) ?? new FairScheduler(model.concurrency ?? DEFAULT_MODEL_CONCURRENCY)
    this.#models.set(model, turns)
    return turns
  }
}

/** One company alone leaves a place free: the slow calls of a company delay no call of another. */
function turnsOfIndex({ concurrency = DEFAULT_INDEX_CONCURRENCY }: Pick<VectorIndex, 'concurrency'>): FairScheduler {
  return new FairScheduler(concurrency, Math.max(1, concurrency - 1))
}

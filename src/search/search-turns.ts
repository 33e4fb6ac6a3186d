import { ThrottledError } from '../kernel/errors.js'
import { FairTurns, type TurnTaker } from '../kernel/fair-turns.js'
import type { EngineLimits } from '../kernel/limits.js'
import { Places } from '../kernel/places.js'
import type { EmbeddingModel, LexicalIndex, VectorIndex } from '../ports/index.js'
import type { Principal } from '../tenancy/index.js'

/** Windows that a model is given at a time, and look-ups of an index, where these do not say how many are worth it. */
const MODEL_PLACES = 2
const INDEX_PLACES = 8
/** A search takes some tens of milliseconds; the first of those under way ends well within it. */
const RETRY_AFTER_SECONDS = 1

/** Lets searches take turns among companies, and within a company among its API keys, and refuses those above the limits. */
export class SearchTurns {
  /** Look-ups in the vector index. */
  readonly index: FairTurns
  /** Look-ups in the word index. */
  readonly words: FairTurns
  readonly #limits: EngineLimits
  readonly #places = new Places()
  readonly #models = new WeakMap<EmbeddingModel, FairTurns>()

  constructor(limits: EngineLimits, index: VectorIndex, words: LexicalIndex) {
    this.#limits = limits
    this.index = new FairTurns(index.concurrency ?? INDEX_PLACES)
    this.words = new FairTurns(words.concurrency ?? INDEX_PLACES)
  }

  /**
   * Does a search for somebody, if they may have one more under way.
   * @throws ThrottledError
   */
  async search<Result>(principal: Principal, work: (taker: TurnTaker) => Promise<Result>): Promise<Result> {
    const { companyId, userId, origin } = principal
    const member = origin?.clientId === undefined ? userId : `key ${origin.clientId}`
    const { searchesPerKey, searchesPerCompany } = this.#limits
    const company = `${companyId}`
    const free = this.#places.take({ [company]: searchesPerCompany, [`${company} ${member}`]: searchesPerKey })
    if (typeof free === 'string') {
      const who = free === company ? 'this company' : origin?.clientId === undefined ? 'this user' : 'this API key'
      const most = free === company ? searchesPerCompany : searchesPerKey
      const problem = `${who} has ${most} searches under way, as many as it may have: wait until one of them has ended`
      throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
    }
    try {
      return await work({ group: companyId, member })
    } finally {
      free()
    }
  }

  /** Turns in which a model embeds windows of prompts. */
  ofModel(model: EmbeddingModel): FairTurns {
    const turns = this.#models.get(model) ?? new FairTurns(model.concurrency ?? MODEL_PLACES)
    this.#models.set(model, turns)
    return turns
  }
}

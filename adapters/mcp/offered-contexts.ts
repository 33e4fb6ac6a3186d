import { AlcoveError, type Context, InvalidInputError, NotFoundError, type Session } from '../../src/index.js'
import { idSchema, validate } from '../../src/ports/index.js'

/** The most contexts of one search. */
export const MAX_SEARCHED_CONTEXTS = 100

/** Contexts in the order of their ids, with the id after which the next page begins: null on the last one. */
interface ContextPage {
  readonly contexts: readonly Context[]
  readonly nextAfter: number | null
}

/** The contexts that a server offers: all that the session can read, or those of a list. */
export class OfferedContexts {
  readonly #ids: readonly number[] | undefined

  /**
   * @param ids ids of the offered contexts. Default: all that the session can read
   * @throws InvalidInputError if one is no id
   */
  constructor(ids: readonly number[] | undefined) {
    for (const [index, id] of (ids ?? []).entries()) validate(idSchema(), id, `contexts[${index}]`)
    this.#ids = ids === undefined ? undefined : [...new Set(ids)].sort((one, other) => one - other)
  }

  /** Reads one page. Leaves out contexts that are deleted, or that the session cannot read. */
  async page(session: Session, { after, limit }: { after: number; limit: number }): Promise<ContextPage> {
    if (this.#ids === undefined) {
      const { items, nextAfter } = await session.contexts.page({ after, limit })
      const contexts: Context[] = []
      for await (const context of items) contexts.push(context)
      return { contexts, nextAfter }
    }
    const rest = this.#ids.filter((id) => id > after)
    const ids = rest.slice(0, limit)
    const found = await Promise.all(ids.map(async (id) => await findContext(session, id)))
    return {
      contexts: found.filter((context) => context !== undefined),
      nextAfter: rest.length > limit ? (ids.at(-1) ?? null) : null,
    }
  }

  /** @throws NotFoundError for a context that is not offered, or that the session cannot read */
  async get(session: Session, contextId: number): Promise<Context> {
    this.require(contextId)
    return await session.contexts.get(contextId)
  }

  /** @throws NotFoundError for a context that is not offered */
  require(contextId: number): void {
    if (this.#ids?.includes(contextId) === false) throw new NotFoundError('context', contextId)
  }

  /**
   * The contexts of a search.
   *
   * @param requested ids that the caller names. Default: all offered contexts
   * @throws NotFoundError if a named context is not offered
   * @throws InvalidInputError if nothing is named, and no context or more than 100 are offered
   */
  async searchedIds(session: Session, requested: readonly number[] | undefined): Promise<readonly number[]> {
    if (requested !== undefined) {
      for (const id of requested) this.require(id)
      return requested
    }
    const { contexts, nextAfter } = await this.page(session, { after: 0, limit: MAX_SEARCHED_CONTEXTS })
    if (nextAfter !== null) {
      throw new InvalidInputError(
        'contextIds',
        `is required, because more than ${MAX_SEARCHED_CONTEXTS} contexts are there: list_contexts has their ids`,
      )
    }
    if (contexts.length > 0) return contexts.map(({ id }) => id)
    throw new InvalidInputError('contextIds', 'no context is there yet: ask the owner of this server to create one')
  }

  /** The only offered context. Undefined if there are others, or if the session cannot list contexts. */
  async findOnly(session: Session): Promise<Context | undefined> {
    try {
      const { contexts, nextAfter } = await this.page(session, { after: 0, limit: 2 })
      const [only, ...others] = contexts
      return nextAfter === null && others.length === 0 ? only : undefined
    } catch (error) {
      if (error instanceof AlcoveError) return undefined
      throw error
    }
  }
}

async function findContext(session: Session, id: number): Promise<Context | undefined> {
  try {
    return await session.contexts.get(id)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

import { z } from 'zod'
import { ASSISTANT, findReadable } from '../context/index.js'
import { collectionOf, type EmbeddingModels } from '../ingestion/index.js'
import type { ChunkKey, ContextRecord, Storage, VectorHit, VectorIndex, VisibleChunk } from '../ports/index.js'
import type { TurnTaker } from '../shared/fair-turns.js'
import type { EngineLimits } from '../shared/limits.js'
import {
  closedObjectSchema,
  fractionSchema,
  integerSchema,
  objectSchema,
  parseId,
  textSchema,
  validate,
} from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { BestWindows, type RankedChunk } from './best-windows.js'
import { PromptReader } from './prompt-reader.js'
import { nameOf, readResults, type SearchResult, toResults, toSizes } from './read-results.js'
import { SearchTurns } from './search-turns.js'
import { VisibleDocuments } from './visible-documents.js'

export interface SearchOptions {
  /** Most results, 1 to 100; default the context's `topN`. */
  readonly topN?: number
  /** Least similarity, 0 to 1; default the context's `scoreThreshold`. */
  readonly scoreThreshold?: number
  readonly signal?: AbortSignal
}

const PROMPT = textSchema({ min: 1, max: 32_768 })
/** The body of `POST /context/relevant-docs/{contextId}`. */
export const searchBodySchema: z.ZodType<{ readonly prompt: string }> = objectSchema({ prompt: PROMPT })

const OPTIONS = closedObjectSchema({
  topN: integerSchema({ min: 1, max: 100 }).optional(),
  scoreThreshold: fractionSchema({ min: 0, max: 1 }).optional(),
  signal: z.unknown().optional(),
})

/** Bytes of all texts of a result that are held together for a reader who may be slow. */
const SHORT_BYTES = 131_072

/** Finds the chunks of a context whose meaning is nearest to a prompt. */
export class Search {
  readonly #storage: Storage
  readonly #index: VectorIndex
  readonly #models: EmbeddingModels
  readonly #authorizer: Authorizer
  readonly #prompts: PromptReader
  readonly #turns: SearchTurns

  constructor(
    storage: Storage,
    index: VectorIndex,
    models: EmbeddingModels,
    authorizer: Authorizer,
    limits: EngineLimits,
  ) {
    this.#storage = storage
    this.#index = index
    this.#models = models
    this.#authorizer = authorizer
    this.#prompts = new PromptReader(limits.promptTokens)
    this.#turns = new SearchTurns(limits, index)
  }

  /**
   * Searches take turns among companies, and within a company among its API keys: each window of a prompt is embedded,
   * and looked up, in a turn of its own.
   *
   * @returns the `topN` best chunks of completed documents, the best first, none below `scoreThreshold`
   * @throws InvalidInputError for a prompt that is missing, blank, longer than 32,768 characters or than the limit
   *   `promptTokens`, and for unknown options
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ThrottledError where the API key, or its company, has as many searches under way as it may
   */
  async execute(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<SearchResult[]> {
    const { ranked, records } = await this.#find(parsePrincipal(principal), contextId, prompt, options)
    return toResults(ranked, records)
  }

  /**
   * As {@link execute}, for a reader who may be slow. Where the texts have more than about 128 kB, they are read a few
   * at a time as they are asked for, with the caller's rights at that time; chunks that are gone by then are left out.
   *
   * @returns an array where the texts are short
   * @throws as {@link execute}, also while texts are read
   */
  async entries(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<readonly SearchResult[] | AsyncIterable<SearchResult>> {
    const caller = parsePrincipal(principal)
    const { ranked, records } = await this.#find(caller, contextId, prompt, options, SHORT_BYTES)
    if (records.every(({ content }) => content !== null)) return toResults(ranked, records)
    return readResults(toSizes(ranked, records), async (keys) => await this.#read(caller, contextId, keys))
  }

  async #find(
    caller: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions,
    maxBytes?: number,
  ): Promise<Found> {
    return await this.#turns.search(caller, async (taker) => {
      const access = await this.#authorizer.authorize(caller, ASSISTANT, 'search')
      const id = parseId(contextId, 'contextId')
      const text = validate(PROMPT, prompt, 'prompt')
      const asked = validate(OPTIONS, options)
      const context = await this.#storage.read((repositories) => findReadable(repositories, access, id))
      const wanted = {
        taker,
        signal: options.signal,
        topN: asked.topN ?? context.topN,
        scoreThreshold: asked.scoreThreshold ?? context.scoreThreshold,
      }
      const queries = await this.#embed(context, text, wanted)
      return await this.#nearest(context, queries, { ...wanted, maxBytes })
    })
  }

  async #read(caller: Principal, contextId: number, keys: readonly ChunkKey[]): Promise<readonly VisibleChunk[]> {
    const access = await this.#authorizer.authorize(caller, ASSISTANT, 'search')
    return await this.#storage.read(async (repositories) => {
      await findReadable(repositories, access, contextId)
      return await repositories.chunks.findVisible(contextId, keys)
    })
  }

  async #embed(context: ContextRecord, prompt: string, { taker, signal }: Asked): Promise<readonly Float32Array[]> {
    const model = this.#models.get(context.embeddingModel)
    const windows = await this.#prompts.read(taker, prompt, model, signal)
    const embed = windows.map((window) => async (abort: AbortSignal) => {
      return await model.embed([window], { kind: 'query', signal: abort })
    })
    return await this.#turns.ofModel(model).all(taker, embed, signal)
  }

  /** The best chunks of documents that are visible now; looks again where some of them are gone meanwhile. */
  async #nearest(
    context: ContextRecord,
    queries: readonly Float32Array[],
    { maxBytes, ...asked }: Asked & { readonly maxBytes: number | undefined },
  ): Promise<Found> {
    const gone = new Set<number>()
    for (;;) {
      const visible = new VisibleDocuments(
        await this.#storage.read(({ documents }) => documents.visibility(context.id)),
        gone,
      )
      const ranked = await this.#rank(context, queries, { ...asked, visible })
      const maxBytesEach = maxBytes === undefined ? Infinity : Math.floor(maxBytes / ranked.length)
      const records = await this.#storage.read(({ chunks }) =>
        chunks.findVisible(context.id, ranked, { maxBytes: maxBytesEach }),
      )
      if (records.length === ranked.length) return { ranked, records }
      // Deleted since the search began: none of its chunks may be among the results.
      const found = new Set(records.map(nameOf))
      for (const key of ranked) if (!found.has(nameOf(key))) gone.add(key.documentId)
    }
  }

  /** Asks for more windows until enough of them belong to different chunks: several of one may be among the nearest. */
  async #rank(
    context: ContextRecord,
    queries: readonly Float32Array[],
    { taker, signal, topN, scoreThreshold, visible }: Asked & { readonly visible: VisibleDocuments },
  ): Promise<RankedChunk[]> {
    const collection = collectionOf(context, this.#models.get(context.embeddingModel).profile)
    for (let limit = topN * 4; ; limit *= 4) {
      const options = { limit, ...visible.filter }
      const search = queries.map((query) => async () => await this.#index.search(collection, query, options))
      const answers = await this.#turns.index.all(taker, search, signal)
      const best = new BestWindows()
      for (const hit of answers.flat()) {
        if (visible.has(hit.documentId)) best.add(hit)
        else visible.hide(hit.documentId)
      }
      const ranked = best.ranked(scoreThreshold)
      // A window that was not asked for is at most as similar as the last one that was.
      const unseen = mostSimilarUnseen(answers, limit)
      const certain = ranked.filter(({ similarity }) => similarity >= unseen).length
      if (certain >= topN || unseen < scoreThreshold || unseen < 0) return ranked.slice(0, topN)
    }
  }
}

/** The chunks that were found, the best first, and what is stored of them, in any order. */
interface Found {
  readonly ranked: readonly RankedChunk[]
  readonly records: readonly VisibleChunk[]
}

interface Asked {
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
  readonly topN: number
  readonly scoreThreshold: number
}

/** The highest similarity that a window missing from the answers can have; -1 where none is missing. */
function mostSimilarUnseen(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

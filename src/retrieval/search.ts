import { z } from 'zod'
import { ASSISTANT, findReadable } from '../context/index.js'
import { collectionOf, type EmbeddingModels } from '../ingestion/index.js'
import type { ChunkKey, ChunkRecord, ContextRecord, Storage, VectorHit, VectorIndex } from '../ports/index.js'
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
import { SearchTurns } from './search-turns.js'
import { VisibleDocuments } from './visible-documents.js'

/** A chunk that was found (specification, Search result). */
export interface SearchResult {
  /** Id of the chunk. */
  readonly id: number
  /** Id of its document. */
  readonly docId: number
  /** The chunk's text, a verbatim slice of the document's. */
  readonly content: string
  /** Cosine similarity of prompt and chunk, 0 to 1. */
  readonly similarity: number
}

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
    const caller = parsePrincipal(principal)
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
      return await this.#nearest(context, queries, wanted)
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
  async #nearest(context: ContextRecord, queries: readonly Float32Array[], asked: Asked): Promise<SearchResult[]> {
    const gone = new Set<number>()
    for (;;) {
      const visible = new VisibleDocuments(
        await this.#storage.read(({ documents }) => documents.visibility(context.id)),
        gone,
      )
      const ranked = await this.#rank(context, queries, { ...asked, visible })
      const records = await this.#storage.read(({ chunks }) => chunks.findVisible(context.id, ranked))
      if (records.length === ranked.length) return toResults(ranked, records)
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

interface Asked {
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
  readonly topN: number
  readonly scoreThreshold: number
}

function toResults(ranked: readonly RankedChunk[], records: readonly ChunkRecord[]): SearchResult[] {
  const byName = new Map(records.map((record) => [nameOf(record), record]))
  return ranked.flatMap((chunk) => {
    const record = byName.get(nameOf(chunk))
    if (record === undefined) return []
    return [{ id: record.id, docId: record.documentId, content: record.content, similarity: chunk.similarity }]
  })
}

function nameOf({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** The highest similarity that a window missing from the answers can have; -1 where none is missing. */
function mostSimilarUnseen(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

import type { z } from 'zod'
import { ASSISTANT, findReadable } from '../context/index.js'
import { collectionOf, type EmbeddingModels, textWindows, windowTokensFor } from '../ingestion/index.js'
import type { ChunkRecord, ContextRecord, Storage, VectorHit, VectorIndex } from '../ports/index.js'
import { fractionSchema, idSchema, integerSchema, objectSchema, textSchema, validate } from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { BestWindows } from './best-windows.js'

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

const OPTIONS = objectSchema({
  topN: integerSchema({ min: 1, max: 100 }).optional(),
  scoreThreshold: fractionSchema({ min: 0, max: 1 }).optional(),
})

/** Finds the chunks of a context whose meaning is nearest to a prompt. */
export class Search {
  readonly #storage: Storage
  readonly #index: VectorIndex
  readonly #models: EmbeddingModels
  readonly #authorizer: Authorizer

  constructor(storage: Storage, index: VectorIndex, models: EmbeddingModels, authorizer: Authorizer) {
    this.#storage = storage
    this.#index = index
    this.#models = models
    this.#authorizer = authorizer
  }

  /**
   * @returns the `topN` best chunks of completed documents, the best first, none below `scoreThreshold`
   * @throws InvalidInputError for a prompt that is missing, blank or longer than 32,768 characters
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   */
  async execute(
    principal: Principal,
    contextId: number,
    prompt: string,
    options: SearchOptions = {},
  ): Promise<SearchResult[]> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'search')
    const id = validate(idSchema(), contextId, 'contextId')
    const text = validate(PROMPT, prompt, 'prompt')
    const asked = validate(OPTIONS, options)
    const context = await this.#storage.read((repositories) => findReadable(repositories, access, id))
    const limits = { topN: asked.topN ?? context.topN, scoreThreshold: asked.scoreThreshold ?? context.scoreThreshold }
    const queries = await this.#embed(context, text, options.signal)
    return await this.#nearest(context, queries, limits, options.signal)
  }

  async #embed(
    context: ContextRecord,
    prompt: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const model = this.#models.get(context.embeddingModel)
    const tokenizer = await model.tokenizer()
    const windows = textWindows(prompt, tokenizer, windowTokensFor(model, tokenizer, 'query'))
    const vectors = await model.embed(
      windows.map((window) => tokenizer.readable(window)),
      { kind: 'query', ...(signal && { signal }) },
    )
    const { dimensions } = model.profile
    return windows.map((_, row) => vectors.subarray(row * dimensions, (row + 1) * dimensions))
  }

  /**
   * Asks for more windows until enough of them belong to different, visible chunks:
   * several windows of a chunk may be among the nearest, and some may belong to
   * documents that are being written or deleted.
   */
  async #nearest(
    context: ContextRecord,
    queries: readonly Float32Array[],
    limits: { readonly topN: number; readonly scoreThreshold: number },
    signal: AbortSignal | undefined,
  ): Promise<SearchResult[]> {
    const collection = collectionOf(context, this.#models.get(context.embeddingModel).profile)
    for (let limit = limits.topN * 4; ; limit *= 4) {
      signal?.throwIfAborted()
      const best = new BestWindows()
      const answers = await Promise.all(queries.map((query) => this.#index.search(collection, query, { limit })))
      for (const hits of answers) best.add(hits)
      const results = await this.#visible(context, best, limits.scoreThreshold)
      // A window that was not asked for is at most as similar as the last one that was.
      const unseen = mostSimilarUnseen(answers, limit)
      const certain = results.filter(({ similarity }) => similarity >= unseen).length
      if (certain >= limits.topN || unseen < limits.scoreThreshold || unseen < 0) return results.slice(0, limits.topN)
    }
  }

  async #visible(context: ContextRecord, best: BestWindows, scoreThreshold: number): Promise<SearchResult[]> {
    const keys = best.chunksFrom(scoreThreshold)
    const records = await this.#storage.read(({ chunks }) => chunks.findVisible(context.id, keys))
    return records.map((record) => toResult(record, best.similarityOf(record))).sort(byRelevance)
  }
}

function toResult({ id, documentId, content }: ChunkRecord, similarity: number): SearchResult {
  return { id, docId: documentId, content, similarity }
}

/** The highest similarity that a window missing from the answers can have; -1 where none is missing. */
function mostSimilarUnseen(answers: readonly (readonly VectorHit[])[], limit: number): number {
  const full = answers.filter((hits) => hits.length >= limit)
  return Math.max(-1, ...full.map((hits) => Math.max(0, hits.at(-1)?.similarity ?? 0)))
}

function byRelevance(one: SearchResult, other: SearchResult): number {
  return other.similarity - one.similarity || one.id - other.id
}

import { z } from 'zod'
import { ANALYZER_VERSION } from '../analysis/index.js'
import { ASSISTANT, findReadable } from '../contexts/index.js'
import { collectionOf, type EmbeddingModels, wordCollectionOf } from '../documents/index.js'
import { withAnySignal } from '../kernel/abort.js'
import type { TurnTaker } from '../kernel/fair-turns.js'
import type { EngineLimits } from '../kernel/limits.js'
import {
  choiceSchema,
  closedObjectSchema,
  fractionSchema,
  integerSchema,
  listSchema,
  objectSchema,
  parseId,
  signalSchema,
  textSchema,
  validate,
} from '../kernel/validate.js'
import {
  type ChunkKey,
  type ContextRecord,
  type DocumentVisibility,
  type EmbeddingModel,
  type LexicalQuery,
  SEARCH_MODES,
  type SearchMode,
  type Storage,
  type Telemetry,
  type VectorKey,
  type VisibleChunk,
  type WindowRecord,
  type WordVisibility,
} from '../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy/index.js'
import { ChunkFinder, type SearchIndexes } from './chunk-finder.js'
import { nameOf, type RankedChunk } from './known-chunks.js'
import { modelKnowledge } from './model-knowledge.js'
import { PromptReader, promptTerms } from './prompt.js'
import { type PlacedChunk, readResults, type SearchResult, toResults, toSizes } from './read-results.js'
import { SearchTurns } from './search-turns.js'
import { KeptVectors, UnembeddedChunks } from './unembedded-chunks.js'
import { MissingChunks, VisibleDocuments } from './visible-documents.js'

export interface SearchOptions {
  /** How chunks are found; default the context's `searchMode`. */
  readonly mode?: SearchMode
  /** Most results, 1 to 100; default the context's `topN`. */
  readonly topN?: number
  /** Least similarity, 0 to 1; default the context's `scoreThreshold`. */
  readonly scoreThreshold?: number
  readonly signal?: AbortSignal
}

const MODE = choiceSchema(SEARCH_MODES)
const INCLUDED = ['score', 'source', 'match'] as const

/** What a search answers beyond the specification, where it is asked for. */
export type IncludedMember = (typeof INCLUDED)[number]

/** A search as it comes over HTTP. */
export interface SearchBody {
  readonly prompt: string
  readonly mode?: SearchMode | undefined
  readonly include?: readonly IncludedMember[] | undefined
}

const PROMPT = textSchema({ min: 1, max: 32_768 })
/** The body of `POST /context/relevant-docs/{contextId}`. */
export const searchBodySchema: z.ZodType<SearchBody> = objectSchema({
  prompt: PROMPT,
  mode: MODE.optional(),
  include: listSchema(choiceSchema(INCLUDED), INCLUDED.length).optional(),
})

const OPTIONS = closedObjectSchema({
  mode: MODE.optional(),
  topN: integerSchema({ min: 1, max: 100 }).optional(),
  scoreThreshold: fractionSchema({ min: 0, max: 1 }).optional(),
  signal: signalSchema().optional(),
})

/** The last look leaves out documents whose chunks are still missing: more of them cost too much time. */
const MOST_LOOKS = 16
/** Bytes of all texts of a result that are held together for a reader who may be slow. */
const SHORT_BYTES = 131_072

/** Finds the chunks of a context that answer a prompt, by their words and their meaning. */
export class Search {
  readonly #storage: Storage
  readonly #models: EmbeddingModels
  readonly #authorizer: Authorizer
  readonly #prompts: PromptReader
  readonly #turns: SearchTurns
  readonly #finder: ChunkFinder
  readonly #kept = new KeptVectors()
  readonly #telemetry: Telemetry

  constructor(
    storage: Storage,
    indexes: SearchIndexes,
    models: EmbeddingModels,
    authorizer: Authorizer,
    limits: EngineLimits,
    telemetry: Telemetry,
  ) {
    this.#storage = storage
    this.#models = models
    this.#authorizer = authorizer
    this.#prompts = new PromptReader(limits.promptTokens)
    this.#turns = new SearchTurns(limits, indexes.vectors, indexes.words)
    this.#finder = new ChunkFinder(indexes, this.#turns, telemetry)
    this.#telemetry = telemetry
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
    const { ranked, records, terms } = await this.#find(parsePrincipal(principal), contextId, prompt, options)
    return await toResults(ranked, terms, records)
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
    const { ranked, records, terms } = await this.#find(caller, contextId, prompt, options, SHORT_BYTES)
    if (records.every(({ content }) => content !== null)) return await toResults(ranked, terms, records)
    return readResults(toSizes(ranked, records), terms, async (keys) => await this.#read(caller, contextId, keys))
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
      return await this.#nearest(context, {
        prompt: text,
        mode: asked.mode ?? context.searchMode,
        topN: asked.topN ?? context.topN,
        scoreThreshold: asked.scoreThreshold ?? context.scoreThreshold,
        taker,
        signal: options.signal,
        maxBytes,
      })
    })
  }

  async #read(caller: Principal, contextId: number, keys: readonly ChunkKey[]): Promise<readonly VisibleChunk[]> {
    const access = await this.#authorizer.authorize(caller, ASSISTANT, 'search')
    return await this.#storage.read(async (repositories) => {
      const context = await findReadable(repositories, access, contextId)
      return await repositories.chunks.findVisible(contextId, keys, { byWords: byWordsOf(context) })
    })
  }

  async #embed(
    model: EmbeddingModel,
    windows: readonly string[],
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const embed = windows.map((window) => async (abort: AbortSignal) => {
      return await model.embed([window], { kind: 'query', signal: abort })
    })
    return await this.#turns.ofModel(model).all(taker, embed, signal)
  }

  /** The best chunks of documents that are visible now; nothing of the search goes on once it has ended. */
  async #nearest(context: ContextRecord, asked: Asked): Promise<Found> {
    const { mode, prompt, taker } = asked
    const model = this.#models.get(context.embeddingModel)
    const terms: LexicalQuery = mode === 'semantic' ? NO_TERMS : promptTerms(prompt)
    const ending = new AbortController()
    let vectors: Promise<readonly Float32Array[]> | undefined
    return await withAnySignal([ending.signal, asked.signal], async (signal) => {
      try {
        signal.throwIfAborted()
        const visible = this.#visible(context, terms, new MissingChunks())
        // It is waited for, unless something else fails first.
        visible.catch(() => undefined)
        const windows = await this.#prompts.read(taker, prompt, model, signal)
        // The threads of the model may take all processors for some milliseconds: a search by words is to begin before.
        if (terms.size > 0) await visible
        signal.throwIfAborted()
        vectors = this.#embed(model, windows, taker, signal)
        const found = await this.#look(context, model, vectors, { ...asked, terms, visible, signal })
        // Words may have found nothing, and asked for no similarity: that the model fails is told all the same.
        await vectors
        return found
      } finally {
        ending.abort()
        await vectors?.catch(() => undefined)
      }
    })
  }

  /** Looks again where some of what it found is gone meanwhile. */
  async #look(
    context: ContextRecord,
    model: EmbeddingModel,
    vectors: Promise<readonly Float32Array[]>,
    asked: Asked & Looked,
  ): Promise<Found> {
    const { mode, prompt, taker, signal, maxBytes, terms } = asked
    // Whoever waits for it is told; until then something else may have failed.
    vectors.catch(() => undefined)
    const unembedded = new UnembeddedChunks(this.#storage, model, this.#turns.ofModel(model), this.#kept.of(model))
    const byWords = byWordsOf(context)
    let known: Promise<number> | undefined
    // Once, however often the search widens or looks again.
    const knowledge = async () =>
      await (known ??= model.tokenizer().then((tokenizer) => modelKnowledge(prompt, tokenizer)))
    const missing = new MissingChunks()
    for (let [look, visible] = [1, await asked.visible]; ; look += 1) {
      const ranked = await this.#finder.find({
        ...asked,
        vectors,
        collection: collectionOf(context, model.profile),
        visible: visible.byMeaning,
        wordCollection: wordCollectionOf(context.id),
        wordVisible: visible.byWords,
        knowledge,
        embedNow: async (keys) => await unembedded.compare(keys, await vectors, taker, signal),
      })
      const maxBytesEach = maxBytes === undefined ? Infinity : Math.floor(maxBytes / ranked.length)
      const [records, windows] = await this.#storage.read(async ({ chunks }) => [
        await chunks.findVisible(context.id, ranked, {
          maxBytes: maxBytesEach,
          ...(mode !== 'semantic' && { byWords }),
        }),
        await chunks.listWindows(ranked.map(toWindowKey)),
      ])
      if (records.length === ranked.length) return { ranked: placed(ranked, windows), records, terms }
      const found = new Set(records.map(nameOf))
      const notFound = ranked.filter((key) => !found.has(nameOf(key)))
      await this.#leaveOut(context.id, notFound, { from: missing, entirely: look >= MOST_LOOKS })
      visible = await this.#visible(context, terms, missing)
    }
  }

  /**
   * Leaves out chunks that an index has and the storage has not: with their documents, where these were deleted since
   * the search began; alone, where an index has too much of a document that is there.
   *
   * @param options.entirely whether documents are left out in any case: they have too many such chunks to look again
   */
  async #leaveOut(
    contextId: number,
    chunks: readonly ChunkKey[],
    { from, entirely }: { readonly from: MissingChunks; readonly entirely: boolean },
  ): Promise<void> {
    const ids = [...new Set(chunks.map(({ documentId }) => documentId))]
    const [found, counts] = await this.#storage.read(async (repositories) => [
      await repositories.documents.find(ids),
      await repositories.chunks.count(ids),
    ])
    const ofContext = found.filter((document) => document.contextId === contextId && document.deleted === null)
    const live = new Map(ofContext.map((document) => [document.id, document]))
    for (const chunk of chunks) {
      const ofDocument = counts.get(chunk.documentId)
      if (live.has(chunk.documentId) && ofDocument !== undefined && !entirely) from.add(chunk, ofDocument)
      else from.documents.add(chunk.documentId)
    }
    // A document that is not completed may have lost its chunks by failing meanwhile.
    for (const { id: documentId, completed } of live.values()) {
      if (completed === null || (from.reported.has(documentId) && !entirely)) continue
      from.reported.add(documentId)
      const fields = { contextId, documentId, isDocumentHidden: entirely }
      this.#telemetry.record({ name: 'search.chunks.missing', level: 'warn', fields })
    }
  }

  async #visible(context: ContextRecord, terms: LexicalQuery, missing: MissingChunks): Promise<Visible> {
    const byWords = byWordsOf(context)
    return await this.#storage.read(async ({ documents }) => ({
      byMeaning: new VisibleDocuments(await documents.visibility(context.id), missing),
      byWords: new VisibleDocuments(
        terms.size === 0 ? NONE_VISIBLE : await documents.wordVisibility(context.id, byWords),
        missing,
      ),
    }))
  }
}

const NO_TERMS: LexicalQuery = new Map()
const NONE_VISIBLE: DocumentVisibility = { lastId: 0, hidden: [] }

/** The chunks that were found, the best first, and what is stored of them, in any order. */
interface Found {
  readonly ranked: readonly PlacedChunk[]
  readonly records: readonly VisibleChunk[]
  readonly terms: LexicalQuery
}

interface Asked {
  readonly prompt: string
  readonly mode: SearchMode
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
  readonly topN: number
  readonly scoreThreshold: number
  /** Of all texts that are read; default all. */
  readonly maxBytes: number | undefined
}

/** The documents that a search may find now. */
interface Visible {
  readonly byMeaning: VisibleDocuments
  readonly byWords: VisibleDocuments
}

/** What is known before anything is looked for. */
interface Looked {
  readonly terms: LexicalQuery
  readonly visible: Promise<Visible>
}

function byWordsOf({ findsEarly }: ContextRecord): WordVisibility {
  return { version: ANALYZER_VERSION, findsEarly }
}

function toWindowKey({ documentId, ordinal, window }: RankedChunk): VectorKey {
  return { documentId, chunk: ordinal, window }
}

/** Chunks with the place of their nearest window. */
function placed(ranked: readonly RankedChunk[], windows: readonly (VectorKey & WindowRecord)[]): PlacedChunk[] {
  const places = new Map(
    windows.map(({ documentId, chunk, window, start, end }) => [`${documentId}:${chunk}:${window}`, { start, end }]),
  )
  return ranked.map((chunk) => {
    const { documentId, ordinal, window } = chunk
    return { ...chunk, nearest: places.get(`${documentId}:${ordinal}:${window}`) }
  })
}

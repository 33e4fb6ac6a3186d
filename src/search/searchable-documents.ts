import { ANALYZER_VERSION } from '../analysis/index.js'
import { ASSISTANT, findReadable } from '../contexts/index.js'
import { inBatches } from '../kernel/batches.js'
import { pages } from '../kernel/lists.js'
import { pause } from '../kernel/scheduling/abort.js'
import type {
  ChunkCounts,
  ChunkKey,
  ContextRecord,
  DocumentFilter,
  DocumentIds,
  DocumentRecord,
  DocumentVisibility,
  Page,
  Storage,
  VersionMark,
  VisibleChunk,
  WordVisibility,
} from '../ports/index.js'
import type { Authorizer, Principal } from '../tenancy/index.js'
import { type FoundBy, toMapKey } from './ranking/near-chunks.js'

/** Chunks that an index has and the storage does not have. A search leaves them out. */
export class MissingChunks {
  /** Ids of documents whose chunks are all left out. */
  readonly documents: Set<number> = new Set()
  /** Ids of documents that this search has reported to telemetry. */
  readonly reported: Set<number> = new Set()
  readonly #chunks = new Set<string>()
  /** By document id: the ordinal from which on all chunks are left out. */
  readonly #ends = new Map<number, number>()

  /**
   * Adds a chunk of a stored document. If the chunk lies behind the document's last one, adds all that follow it too.
   *
   * @param counts the stored chunks of the document
   */
  add(chunk: ChunkKey, { chunks, isWhole }: ChunkCounts): void {
    if (isWhole && chunk.ordinal >= chunks) this.#ends.set(chunk.documentId, chunks)
    else this.#chunks.add(toMapKey(chunk))
  }

  has(chunk: ChunkKey): boolean {
    if (chunk.ordinal >= (this.#ends.get(chunk.documentId) ?? Number.POSITIVE_INFINITY)) return true
    return this.#chunks.size > 0 && this.#chunks.has(toMapKey(chunk))
  }
}

/**
 * The documents that one search may find. The set is fixed before the search reads an index. Otherwise a document that
 * is completed during the search would be compared by only those windows that the index had at that time.
 */
export class VisibleDocuments {
  readonly #lastId: number
  readonly #hidden: Set<number>
  readonly #visible: ReadonlySet<number> | undefined
  #indexOptions: { readonly documents?: DocumentIds } | undefined

  /**
   * @param missing chunks and documents to leave out, even if `visibility` shows the documents
   * @param filtered ids of the documents that the filter of the search selects. Default: all documents
   */
  constructor(
    { lastId, hidden, visible }: DocumentVisibility,
    private readonly missing: MissingChunks,
    private readonly filtered?: ReadonlySet<number> | undefined,
  ) {
    this.#lastId = lastId
    this.#hidden = new Set([...hidden, ...missing.documents])
    this.#visible = visible && new Set(visible)
  }

  has(documentId: number): boolean {
    if (this.#hidden.has(documentId) || this.filtered?.has(documentId) === false) return false
    return this.#visible === undefined ? documentId <= this.#lastId : this.#visible.has(documentId)
  }

  /** True if it is certain that no document is visible. False says nothing: the context may have no documents. */
  get isEmpty(): boolean {
    return this.#lastId === 0 || this.#visible?.size === 0 || this.filtered?.size === 0
  }

  /** True if the search leaves out this chunk although its document is visible. */
  isMissing(chunk: ChunkKey): boolean {
    return this.missing.has(chunk)
  }

  /** Leaves out a document that the index returned although the search may not find it. */
  hide(documentId: number): void {
    this.#hidden.add(documentId)
    this.#indexOptions = undefined
  }

  /** The options for an index: the shorter of two lists, or no list if nothing is hidden, which is fastest. */
  get indexOptions(): { readonly documents?: DocumentIds } {
    // Kept: each read of an index asks for it, and the list may have many ids.
    return (this.#indexOptions ??= this.#makeIndexOptions())
  }

  #makeIndexOptions(): { readonly documents?: DocumentIds } {
    if (this.filtered !== undefined) return { documents: { only: [...this.filtered].filter((id) => this.has(id)) } }
    if (this.#visible !== undefined) {
      return { documents: { only: [...this.#visible].filter((id) => !this.#hidden.has(id)) } }
    }
    return this.#hidden.size === 0 ? {} : { documents: { except: [...this.#hidden] } }
  }
}

/** The documents that a search may find, for each of the two indexes. */
export interface SearchableDocuments {
  readonly byMeaning: VisibleDocuments
  readonly byWords: VisibleDocuments
  /** Ids of the documents that the filter selects, whether the search may find them or not; undefined for all. */
  readonly filtered: ReadonlySet<number> | undefined
  /** A moment that is not later than the read of these documents. */
  readonly versions: VersionMark
}

const NONE_VISIBLE: DocumentVisibility = { lastId: 0, hidden: [] }

/**
 * Reads which documents a search may find, and then which of them the filter selects.
 *
 * @param options.hasTerms true if the prompt has words
 * @param options.missing chunks and documents to leave out. Default: none
 */
export async function readSearchable(
  storage: Storage,
  context: ContextRecord,
  options: {
    readonly filter: DocumentFilter | undefined
    readonly hasTerms: boolean
    readonly missing?: MissingChunks
  },
): Promise<SearchableDocuments> {
  const { filter, hasTerms, missing = new MissingChunks() } = options
  return await storage.read(async ({ documents }) => {
    const { mark, byMeaning, byWords } = await documents.searchable(
      context.id,
      hasTerms ? wordVisibilityOf(context) : undefined,
    )
    // The newest document that the visibility shows is older than this read, so its metadata are there.
    const filtered = filter && new Set(await documents.filtered(context.id, filter))
    return {
      byMeaning: new VisibleDocuments(byMeaning, missing, filtered),
      byWords: new VisibleDocuments(byWords ?? NONE_VISIBLE, missing, filtered),
      versions: mark,
      filtered,
    }
  })
}

const STORED_PER_PAGE = 20

/** The documents of a context that the storage has while a search runs. */
export class StoredDocuments {
  constructor(
    private readonly storage: Storage,
    private readonly context: ContextRecord,
  ) {}

  /**
   * After an index had nothing: true if a document that the search may find is still there. Without this second read, a
   * deletion or a re-index of meanwhile would count as lost data.
   */
  async hasAny(visible: VisibleDocuments, side: FoundBy): Promise<boolean> {
    const { id: contextId, generation } = this.context
    const now = await this.storage.read(({ contexts }) => contexts.get(contextId))
    if (now?.generation !== generation) return false
    const isStored = (document: DocumentRecord): boolean =>
      visible.has(document.id) &&
      document.deleted === null &&
      document.generation === null &&
      document.chunkCount > 0 &&
      (side === 'words' ? document.wordsVersion === ANALYZER_VERSION : document.completed !== null)
    const { documents: ids } = visible.indexOptions
    const readIds = async (page: Page): Promise<readonly number[]> =>
      await this.storage.read(({ documents }) => documents.listIds(contextId, page))
    const parts = ids && 'only' in ids ? inBatches([...ids.only], STORED_PER_PAGE) : pages(STORED_PER_PAGE, readIds)
    for await (const part of parts) {
      if ((await this.storage.read(({ documents }) => documents.find(part))).some(isStored)) return true
    }
    return false
  }
}

/** The chunks of found documents, as far as a caller may read them at the time of each call. */
export class ReadableChunks {
  constructor(
    private readonly storage: Storage,
    private readonly authorizer: Authorizer,
  ) {}

  /** @returns the chunks with their texts @throws ForbiddenError @throws NotFoundError */
  async read(caller: Principal, contextId: number, keys: readonly ChunkKey[]): Promise<readonly VisibleChunk[]> {
    const access = await this.authorizer.authorize(caller, ASSISTANT, 'search')
    return await this.storage.read(async (repositories) => {
      const context = await findReadable(repositories, access, contextId)
      return await repositories.chunks.findVisible(contextId, keys, { byWords: wordVisibilityOf(context) })
    })
  }
}

/** @returns the rules for documents of the context that words may find */
export function wordVisibilityOf({ findsEarly }: ContextRecord): WordVisibility {
  return { version: ANALYZER_VERSION, findsEarly }
}

/** Maximum number of repeats of a search. Each repeat needs a re-index that ends during the search. */
const MAX_REPEATS = 16

/** The longest time in which a search that failed asks whether it has read a context of a former generation. */
const MAX_CHECK_MS = 1_000

/** Thrown by a search that has read a context of a former generation. It begins again. */
export class StaleContextError extends Error {}

/**
 * Runs a search of contexts. If one of them gets another generation meanwhile, the contexts are read again, and the
 * search begins again: it may have read collections that no longer exist, with another model.
 */
export async function withPresentContexts<T>(
  storage: Storage,
  readContexts: () => Promise<readonly ContextRecord[]>,
  search: (contexts: readonly ContextRecord[]) => Promise<T>,
): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    const contexts = await readContexts()
    try {
      return await search(contexts)
    } catch (error) {
      if (repeats >= MAX_REPEATS || !(await areKnownStale(storage, contexts))) throw error
    }
  }
}

/** @throws StaleContextError if the context has another generation by now */
export async function requirePresent(storage: Storage, context: ContextRecord): Promise<void> {
  if (await areStale(storage, [context])) throw new StaleContextError()
}

/** @returns false also without an answer of the database in time: the caller has waited already */
async function areKnownStale(storage: Storage, known: readonly ContextRecord[]): Promise<boolean> {
  const asked = areStale(storage, known).catch(() => false)
  return await Promise.race([asked, pause(MAX_CHECK_MS, asked).then(() => false)])
}

async function areStale(storage: Storage, known: readonly ContextRecord[]): Promise<boolean> {
  return await storage.read(async ({ contexts }) => {
    for (const { id, generation } of known) {
      const now = await contexts.generations(id)
      // A context that was deleted meanwhile is read again too, and not found.
      if (now?.generation !== generation) return true
    }
    return false
  })
}

import type { RowPage } from '../../../kernel/lists.js'
import type { Page } from '../page.js'

/** `hybrid`: by words and meaning together. `semantic`: by meaning only. `keyword`: by words only. */
export const SEARCH_MODES = ['hybrid', 'semantic', 'keyword'] as const

/** The way to search a context. */
export type SearchMode = (typeof SEARCH_MODES)[number]

/** A context as stored. */
export interface ContextRecord {
  readonly id: number
  readonly accountId: number
  /** Id of the user who created it. */
  readonly userId: number
  readonly name: string
  readonly description: string
  readonly caption: string
  /** Text of a JSON array of tool definitions. */
  readonly toolsJson: string
  readonly starterPrompts: readonly string[]
  readonly embeddingModel: string
  /** Maximum size of all its documents together, in bytes. */
  readonly maxSizeBytes: number
  /** Number of results of a search. */
  readonly topN: number
  /** Minimum similarity of a result, 0 to 1. */
  readonly scoreThreshold: number
  /** Maximum size of a chunk in tokens. */
  readonly chunkSizeTokens: number
  /** Share of a chunk that the next one repeats, 0 to 1. */
  readonly overlap: number
  /** 0: private. 1: shared. */
  readonly shareState: 0 | 1
  readonly searchMode: SearchMode
  /** True if words find a document before its vectors are computed. */
  readonly findsEarly: boolean
  readonly icon: string | null
  /** Number of the collections that searches read: 0 at first, and a new one after each re-index. */
  readonly generation: number
  /** The highest generation that this context has used, also for a re-index that was cancelled. */
  readonly lastGeneration: number
  /** The re-index in progress; null if there is none. */
  readonly reindexing: ContextReindexing | null
  readonly created: string
  /** Time of the deletion; null for a live context. A job removes what is left of a deleted one. */
  readonly deleted: string | null
}

/** The settings that decide how documents are cut and embedded. A change of one of them needs a re-index. */
export type ChunkSettings = Pick<ContextRecord, 'embeddingModel' | 'chunkSizeTokens' | 'overlap'>

/** A re-index: the documents of a context are cut and embedded a second time, beside what searches find. */
export interface ContextReindexing extends ChunkSettings {
  /** The generation that it builds. */
  readonly generation: number
  readonly started: string
  /** One sentence that ends in its error code, if it has stopped for good; null while it runs. */
  readonly error: string | null
}

/** The members that name the collections of a context, without its large texts. */
export type ContextGenerations = Pick<ContextRecord, 'generation' | 'reindexing'>

/** Filter for lists of contexts. */
export interface ContextFilter {
  readonly accountId: number
  /** Only contexts of the user with this id, and shared ones. Default: all contexts of the account. */
  readonly visibleTo?: number
}

/** Contexts of a user on an account, and the user who gets them. */
export interface ContextHandOver {
  readonly accountId: number
  readonly fromUserId: number
  readonly toUserId: number
}

/** The documents of one context, and what they may need. */
export interface ContextSize extends Pick<ContextRecord, 'id' | 'accountId' | 'userId' | 'maxSizeBytes'> {
  /** Number of live documents. */
  readonly documents: number
  /** Bytes of their current versions, with the excess of their texts. */
  readonly sizeBytes: number
}

/** The documents of all contexts of a company. */
export interface ContextsSize {
  readonly documents: number
  readonly sizeBytes: number
  /** Those with the most bytes, the largest first; equal ones by id. */
  readonly largest: readonly ContextSize[]
}

/** Contexts. "Live" means: not deleted. Lists are ordered by id. */
export interface ContextRepository {
  /** @returns the record with its new id */
  insert(context: Omit<ContextRecord, 'id'>): Promise<ContextRecord>
  /** @returns a live context; `undefined` if there is none with this id */
  get(id: number): Promise<ContextRecord | undefined>
  /** Reads the generations of a live context, without its texts; `undefined` if there is none with this id. */
  generations(id: number): Promise<ContextGenerations | undefined>
  /**
   * Waits until no other transaction locks this context, then locks it until this transaction ends. Its data does not
   * change during that time. The context need not exist.
   */
  lock(id: number): Promise<void>
  /** Lists live contexts of an account. @param page default: all of them */
  list(filter: ContextFilter, page?: RowPage): Promise<readonly ContextRecord[]>
  /** Lists the ids of live contexts of an account. */
  listIds(filter: ContextFilter, page: Page): Promise<readonly number[]>
  /** Counts the live contexts of a company, on its accounts that are not deleted. Cheap, however large they are. */
  count(companyId: number): Promise<number>
  /**
   * Measures the live documents of the live contexts of a company, on its accounts that are not deleted. A replacement
   * counts once it is the current version. Reads the texts of no context.
   *
   * @param most number of contexts in `largest`
   */
  measure(companyId: number, most: number): Promise<ContextsSize>
  /** Changes the given members. @returns the changed context; `undefined` if no live context has this id */
  update(id: number, changes: Partial<Omit<ContextRecord, 'id' | 'accountId'>>): Promise<ContextRecord | undefined>
  /**
   * Marks as deleted all live contexts that a user created, in any account, and erases their texts except names. Uses
   * one statement, which neither returns nor writes the texts, because texts can be large.
   *
   * @param deleted the time of the deletion
   * @returns the deleted contexts, ordered by id
   */
  deleteMadeBy(userId: number, deleted: string): Promise<readonly Pick<ContextRecord, 'id' | 'accountId'>[]>
  /** Lists the accounts on which a user has live contexts. */
  listAccountsOf(userId: number): Promise<readonly number[]>
  /**
   * Gives live contexts of a user on an account to another user: the next ones in the order of their ids.
   *
   * @param page how many, and after which id. A row may have a megabyte of text, so the caller takes a few at a time
   * @returns the ids of the contexts that have the new user now; empty if none is left
   */
  handOver(change: ContextHandOver, page: Page): Promise<readonly number[]>
  /** @returns true if the context has a row that is marked as deleted */
  isDeleted(id: number): Promise<boolean>
  /** Lists the ids of deleted contexts that still have a row. */
  listDeleted(): Promise<readonly number[]>
  /**
   * Lists the ids of live contexts with a live, completed document whose words do not have this version of the
   * analyzer. Cheap if there are few such documents.
   */
  listWithoutWords(version: number): Promise<readonly number[]>
  /** Lists contexts of all accounts, deleted or not. */
  page(page: Page): Promise<readonly ContextRecord[]>
  /** Removes the row of a context that has no documents left. Does nothing if there is no row. */
  remove(id: number): Promise<void>
}

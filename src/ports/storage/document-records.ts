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

/** The ingestion receipt: the result of the processing of a document. */
export interface IngestionReceipt {
  /** Size of the file in bytes. */
  readonly bytes: number
  /** Length of the extracted text in UTF-16 units. */
  readonly characters: number
  /** Number of pages; null if the format has no pages. */
  readonly pages: number | null
  /** Number of tokens of the text, counted by the model's tokenizer. */
  readonly tokens: number
  /** Number of chunks. */
  readonly chunks: number
  /** Number of windows. */
  readonly windows: number
  /** Number of windows whose vectors the engine reused from equal windows. */
  readonly windowsReused: number
  /** Id of the model. */
  readonly embeddingModel: string
  /** Duration of each stage in milliseconds. Stages overlap. */
  readonly durationsMs: {
    readonly extract: number
    /** Missing in receipts of versions without a word index. */
    readonly words?: number | undefined
    readonly embed: number
    readonly index: number
    readonly total: number
  }
  /** Warnings, one sentence each, such as "page 3 has no text". */
  readonly warnings: readonly string[]
}

/** A value in the metadata of a document. */
export type MetadataValue = string | number | boolean | readonly string[]

/** The metadata of a document: values by key, as the caller gave them. */
export type DocumentMetadata = Readonly<Record<string, MetadataValue>>

/**
 * A version of a training document, as stored. A replacement is a record of its own, which waits beside the record that
 * it replaces until it is completed. Both have the same `publicId`.
 */
export interface DocumentRecord {
  /** Id of this version. Chunks, words and vectors are stored under it. */
  readonly id: number
  /** Id of the document that users see. It is the id of the document's first version. */
  readonly publicId: number
  /**
   * Id of the version that this one replaces once it is completed; null for the current version of a document. For a
   * shadow: id of the version that it stands for.
   */
  readonly replaces: number | null
  /**
   * Generation of its chunks, vectors and words, if that is not the one of its context: for a shadow, which a re-index
   * makes, and for a deleted version of a former generation. Null for every version that users see or have deleted.
   */
  readonly generation: number | null
  /**
   * The `fileName` of the specification, and the key of the file in the file store. A shadow has the one of the version
   * that it stands for.
   */
  readonly uuid: string
  readonly contextId: number
  /** File name at upload. */
  readonly originalName: string
  /** 0 for the first document with this name in the context, then 1, 2 and so on. */
  readonly nameIndex: number
  /** Name that a user gave the document; null if it is made from `originalName` and `nameIndex`. */
  readonly displayName: string | null
  readonly metadata: DocumentMetadata
  /** The detected MIME type. */
  readonly contentType: string
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  readonly sizeBytes: number
  /** Number of chunks; 0 until the document is completed. */
  readonly chunkCount: number
  readonly created: string
  /** Id of the user who uploaded it. */
  readonly createdBy: number
  /** Start of the processing; null before that. */
  readonly started: string | null
  /** Time of completion. Set in the transaction that makes the document searchable by meaning too. */
  readonly completed: string | null
  /** One sentence that ends in its error code. Set only if the failure is final. */
  readonly error: string | null
  /** Null until the document is completed. */
  readonly receipt: IngestionReceipt | null
  /** Version of the analyzer that made its words in the word index; null until all words are indexed. */
  readonly wordsVersion: number | null
  /** Number of its first chunks whose vectors are in the vector index. */
  readonly embeddedChunks: number
  /** Time of the deletion; null for a live document. A job removes what is left of a deleted one. */
  readonly deleted: string | null
}

/** The versions of a context's documents that a search may find, at one moment. */
export interface DocumentVisibility {
  /** Highest id of any version at that moment. Versions with a higher id are newer, and not visible. */
  readonly lastId: number
  /** Ids of the versions up to `lastId` that a search must not find. */
  readonly hidden: readonly number[]
  /** Ids of the versions that a search may find. Present only if they are fewer than the hidden ones. */
  readonly visible?: readonly number[]
}

/** A moment in the history of a context's versions: a search compares two of them. */
export interface VersionMark {
  /** Highest id of any version at that moment. */
  readonly lastId: number
  /** Ids of the replacements that were not completed at that moment. */
  readonly replacements: readonly number[]
  /** Generation of the context at that moment; -1 if it has no row. */
  readonly generation: number
}

/** The rules for documents that words may find. */
export interface WordVisibility {
  /** Version of the analyzer. Documents whose words have another version are hidden. */
  readonly version: number
  /** True if words also find documents that are not completed and have not failed. Replacements are never found early. */
  readonly findsEarly: boolean
}

/** Numbers of the live documents of a context by their state. A replacement in progress does not count. */
export interface DocumentStateCounts {
  readonly completed: number
  /** Completed documents whose words do not have the version of the analyzer. */
  readonly completedWithoutWords: number
  /** Documents that are neither completed nor failed. */
  readonly waiting: number
  /** Waiting documents whose words have the version of the analyzer. */
  readonly waitingWithWords: number
  readonly failed: number
}

/** An upload in progress. It reserves a part of its context's quota, and protects its file from the sweep. */
export interface UploadRecord {
  readonly uuid: string
  readonly contextId: number
  /** Number of bytes that it reserves in the quota. */
  readonly sizeBytes: number
}

/** The place of a chunk in the structure of its document. */
export interface ChunkPlace {
  /** Number of the page, sheet or slide on which the chunk begins, from 1; null if the format has no pages. */
  readonly pageFirst: number | null
  /** Number of the page, sheet or slide on which the chunk ends. */
  readonly pageLast: number | null
  /** The headings above the beginning of the chunk, the outermost first. */
  readonly headings: readonly string[]
}

/** The place of a chunk in a document without pages and headings. */
export const NO_PLACE: ChunkPlace = { pageFirst: null, pageLast: null, headings: [] }

/** The white space around a chunk that no chunk has, as the engine encodes it: with it, the whole text is stored. */
export interface ChunkGaps {
  /** White space in front of the chunk; null for chunks of versions that did not store it. */
  readonly gapBefore: string | null
  /** White space after the document's last chunk; null for every other chunk. */
  readonly gapAfter: string | null
}

/** A chunk without white space around it, which is not the last one. */
export const NO_GAPS: ChunkGaps = { gapBefore: '', gapAfter: null }

/** A chunk for {@link ChunkRepository.insert}. */
export interface NewChunk extends ChunkPlace, ChunkGaps {
  /** Number in the document, from 0. */
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset in the extracted text. */
  readonly start: number
  /** Number of tokens. */
  readonly tokens: number
  /** Equal if a repeated processing makes the same chunk. */
  readonly hash: string
  readonly windows: readonly WindowRecord[]
}

/** A window as stored with its chunk. */
export interface WindowRecord {
  /** UTF-16 offset in the chunk's content. */
  readonly start: number
  /** UTF-16 offset after the end, in the chunk's content. */
  readonly end: number
  /** Number of tokens. */
  readonly tokens: number
  /** Hash of the model and the window's text. */
  readonly hash: string
}

/** A chunk as stored. */
export interface ChunkRecord extends ChunkPlace {
  readonly id: number
  /** Id of the version of the document. */
  readonly documentId: number
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset in the extracted text. */
  readonly start: number
  /** Number of tokens. */
  readonly tokens: number
}

/** A chunk that a search may find. */
export interface VisibleChunk extends Omit<ChunkRecord, 'content'> {
  /** Id of its document that users see. */
  readonly documentPublicId: number
  /** UUID of its document. */
  readonly documentUuid: string
  /** File name of its document at upload. */
  readonly originalName: string
  /** `nameIndex` of its document. */
  readonly nameIndex: number
  /** `displayName` of its document. */
  readonly displayName: string | null
  /** `metadata` of its document. */
  readonly metadata: DocumentMetadata
  /** True if its vectors are in the vector index. */
  readonly hasVectors: boolean
  /** Null if it is larger than the caller's `maxBytes`. */
  readonly content: string | null
  /** Size of the content in bytes of UTF-8. */
  readonly sizeBytes: number
}

/** Counts of a document's stored chunks and windows. */
export interface ChunkCounts {
  readonly chunks: number
  readonly windows: number
  /** True if no number is missing: chunks are numbered from 0, and the windows of each chunk are numbered from 0. */
  readonly isWhole: boolean
}

/** A part of a list that is ordered by a number, such as an id. */
export interface Page {
  /** Only items with a higher number. */
  readonly after: number
  /** Maximum number of items. */
  readonly limit: number
}

/** Identifies a chunk without its id. */
export interface ChunkKey {
  readonly documentId: number
  /** Number of the chunk in the document, from 0. */
  readonly ordinal: number
}

/** `hybrid`: by words and meaning together; `semantic`: by meaning alone; `keyword`: by words alone. */
export const SEARCH_MODES = ['hybrid', 'semantic', 'keyword'] as const

/** How a context is searched. */
export type SearchMode = (typeof SEARCH_MODES)[number]

/** A context as stored. */
export interface ContextRecord {
  readonly id: number
  readonly accountId: number
  /** The creating user. */
  readonly userId: number
  readonly name: string
  readonly description: string
  readonly caption: string
  readonly toolsJson: string
  readonly starterPrompts: readonly string[]
  readonly embeddingModel: string
  readonly maxSizeBytes: number
  readonly topN: number
  readonly scoreThreshold: number
  readonly chunkSizeTokens: number
  readonly overlap: number
  readonly shareState: 0 | 1
  readonly searchMode: SearchMode
  /** Whether a document can be found by its words before its vectors are computed. */
  readonly findsEarly: boolean
  readonly icon: string | null
  readonly created: string
  /** When it was deleted; what is left of it is removed by a job. */
  readonly deleted: string | null
}

/** What was done to a document, for its ingestion receipt. */
export interface IngestionReceipt {
  /** Bytes of the file. */
  readonly bytes: number
  /** UTF-16 units of extracted text. */
  readonly characters: number
  /** Pages, where the format has pages. */
  readonly pages: number | null
  /** Tokens of the text, by the model's tokenizer. */
  readonly tokens: number
  readonly chunks: number
  readonly windows: number
  /** Windows whose vectors were known from before. */
  readonly windowsReused: number
  readonly embeddingModel: string
  /** Milliseconds spent in each stage; stages overlap. */
  readonly durationsMs: {
    readonly extract: number
    /** Missing in receipts of versions that had no word index. */
    readonly words?: number | undefined
    readonly embed: number
    readonly index: number
    readonly total: number
  }
  /** Sentences such as "page 3 has no text". */
  readonly warnings: readonly string[]
}

/** A training document as stored. */
export interface DocumentRecord {
  readonly id: number
  /** The `fileName` of the specification and the key of its bytes in the file store. */
  readonly uuid: string
  readonly contextId: number
  readonly originalName: string
  readonly nameIndex: number
  readonly contentType: string
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  readonly sizeBytes: number
  /** 0 until completed. */
  readonly chunkCount: number
  readonly created: string
  readonly createdBy: number
  readonly started: string | null
  /** Set in the transaction that makes the document searchable by meaning too. */
  readonly completed: string | null
  /** One sentence that ends in its code; set only when the failure is final. */
  readonly error: string | null
  readonly receipt: IngestionReceipt | null
  /** The version of the analyzer by which all its words are in the word index; null until they are. */
  readonly wordsVersion: number | null
  /** So many of its chunks, the first ones, have their vectors in the vector index. */
  readonly embeddedChunks: number
  /** When it was deleted; what is left of it is removed by a job. */
  readonly deleted: string | null
}

/** Which documents of a context a search may find, as it is at one moment. */
export interface DocumentVisibility {
  /** Highest id of any document; one with a higher id came later. */
  readonly lastId: number
  /** Ids of those, up to `lastId`, that are not completed, or are deleted. */
  readonly hidden: readonly number[]
  /** Ids of the live and completed ones; given only where they are fewer than the hidden ones. */
  readonly visible?: readonly number[]
}

/** Which documents can be found by words. */
export interface WordVisibility {
  /** Version of the analyzer: documents whose words are indexed by another one are hidden. */
  readonly version: number
  /** Whether documents are found that are not completed yet, and have not failed. */
  readonly findsEarly: boolean
}

/** An upload that is under way: it holds a part of its context's quota, and its file against the sweep. */
export interface UploadRecord {
  readonly uuid: string
  readonly contextId: number
  /** Bytes of the quota it holds. */
  readonly sizeBytes: number
}

/** A chunk to be stored. */
export interface NewChunk {
  readonly ordinal: number
  readonly content: string
  /** UTF-16 offset in the extracted text. */
  readonly start: number
  readonly tokens: number
  /** Tells whether a chunk made again is the same. */
  readonly hash: string
  readonly windows: readonly WindowRecord[]
}

/** A window as stored with its chunk. */
export interface WindowRecord {
  /** UTF-16 offsets in the chunk's content. */
  readonly start: number
  readonly end: number
  readonly tokens: number
  /** Of the model and the window's text. */
  readonly hash: string
}

/** A chunk as stored. */
export interface ChunkRecord {
  readonly id: number
  readonly documentId: number
  readonly ordinal: number
  readonly content: string
  readonly start: number
  readonly tokens: number
}

/** A chunk that a search may find. */
export interface VisibleChunk extends Omit<ChunkRecord, 'content'> {
  /** Of its document. */
  readonly documentUuid: string
  readonly originalName: string
  readonly nameIndex: number
  /** Whether its vectors are in the vector index. */
  readonly hasVectors: boolean
  /** Null where it is longer than was asked for. */
  readonly content: string | null
  /** Size of the content in UTF-8. */
  readonly sizeBytes: number
}

/** How much of a document is stored as chunks. */
export interface ChunkCounts {
  readonly chunks: number
  readonly windows: number
  /** Whether nothing is missing in between: chunks are numbered from 0, each has windows numbered from 0. */
  readonly isWhole: boolean
}

/** A part of a list that is ordered by a number. */
export interface Page {
  /** Only what has a higher number. */
  readonly after: number
  /** Most items. */
  readonly limit: number
}

/** Names a chunk before it has an id. */
export interface ChunkKey {
  readonly documentId: number
  readonly ordinal: number
}

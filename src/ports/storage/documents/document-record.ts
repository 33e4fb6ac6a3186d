import type { ErrorReason } from '../../../kernel/errors.js'

/** The ingestion receipt: the result of the processing of a document. */
export interface IngestionReceipt {
  /** Size of the file in bytes. */
  readonly bytes: number
  /** Length of the extracted text in UTF-16 units. */
  readonly characters: number
  /** Number of pages; null if the format has no pages. */
  readonly pages: number | null
  /** Number of pages whose text was recognised in pictures (OCR). Absent if there are none. */
  readonly recognised?: number
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
  /** The language of the text as an ISO 639-1 code; null if it is not sure, as for code and tables. */
  readonly language: string | null
  /** Duration of each stage in milliseconds. Stages overlap. */
  readonly durationsMs: {
    readonly extract: number
    readonly words: number
    readonly embed: number
    readonly index: number
    readonly total: number
  }
  /** Warnings, one sentence each, such as "page 3 has no text". */
  readonly warnings: readonly string[]
  /** {@link warnings} for programs, in the same order; null for a warning that has only its sentence. */
  readonly warningReasons: readonly (ErrorReason | null)[]
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
  /**
   * Characters of its text that count in the quota of the context as bytes do, beside `sizeBytes`: those of a text that
   * is much larger than the file. A document holds some ahead of its text while it is being processed.
   */
  readonly excessBytes: number
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

/** The versions of a context's documents that a search may find, and a mark that is not later than they are. */
export interface SearchableVersions {
  readonly mark: VersionMark
  readonly byMeaning: DocumentVisibility
  /** Absent if the caller did not ask for words. */
  readonly byWords?: DocumentVisibility
}

/** The completed documents of a context in one language. */
export interface LanguageCount {
  /** As in their receipts. */
  readonly language: string | null
  readonly documents: number
  readonly windows: number
  /** Time that the model took for their vectors, in milliseconds. */
  readonly embedMs: number
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

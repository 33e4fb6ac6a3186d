import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import type { TableWriter } from './table-writer.js'

/** A table that is open, and its writer. */
export interface TableHandle {
  readonly table: Table
  readonly writer: TableWriter
}

/** What the tables of an index have in common: how they are kept in order. */
export interface TableKind {
  /** The index that answers searches, as Lance calls it: they scan the rows that it lacks. */
  readonly searchIndex: string
  /** Most rows that it may lack before a table of so many rows is compacted. */
  readonly maxUnindexed: (rows: number) => number
  /** Pause after a compaction, as a multiple of the time that it took. Default 20. */
  readonly pausePerWork?: number
  /** Columns by whose values rows are looked up: each gets an index once the table is large. */
  readonly lookUpColumns: readonly string[]
  /**
   * Whether tiny fragments are merged by rewriting their rows, which the search index then lacks. Otherwise they wait
   * for a compaction.
   */
  readonly mergesTinyFragments: boolean
  /** Ends of the names of the files that a table has beside it: they go with it. */
  readonly filesBeside: readonly string[]
  /** Bytes of a row; `undefined` where rows differ in length. */
  readonly bytesPerRow: (table: Table) => Promise<number | undefined>
  /** Gives a table of an earlier version what it lacks. */
  readonly upgrade?: (open: TableHandle) => Promise<void>
  /** Gives a new table what it must have before its first rows; does nothing where that is there. Nobody writes meanwhile. */
  readonly prepare?: (open: TableHandle) => Promise<void>
  /** Is told of rows that were written, before others write. */
  readonly written?: (open: TableHandle, batches: readonly RecordBatch[]) => Promise<void>
  /** Is told that the chunks of a document were deleted from one on, before others write. */
  readonly deleted?: (open: TableHandle, documentId: number, fromChunk: number) => Promise<void>
  /** Is told of a compaction that begins. @returns what is called when it is done, and this process reads what it made */
  readonly compacting?: (open: TableHandle) => Promise<() => void>
  /** Does what else a table needs now and then. */
  readonly tend?: (open: TableHandle) => Promise<void>
}

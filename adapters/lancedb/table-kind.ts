import type { Table } from '@lancedb/lancedb'
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
  /** Columns by whose values rows are looked up: each gets an index once the table is large. */
  readonly lookUpColumns: readonly string[]
  /** Ends of the names of the files that a table has beside it: they go with it. */
  readonly filesBeside: readonly string[]
  /** Bytes of a row; `undefined` where rows differ in length. */
  readonly bytesPerRow: (table: Table) => Promise<number | undefined>
  /** Gives a table of an earlier version what it lacks. */
  readonly upgrade?: (open: TableHandle) => Promise<void>
}

import type { RecordBatch } from 'apache-arrow'

/** Rows that are to be added to a table. */
export interface Addition {
  readonly rows: number
  readonly bytes: number
  /** Only additions of the same layout are written together. */
  readonly layout: number
  /** The rows as Arrow has them, with those of these columns that a table may lack. Takes the event loop no longer than a moment. */
  readonly toBatch: (columns: ReadonlySet<string>) => Promise<RecordBatch>
}

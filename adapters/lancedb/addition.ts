import type { RecordBatch } from 'apache-arrow'

/** Rows to add to a table. */
export interface Addition {
  readonly rows: number
  readonly bytes: number
  /** Only additions of the same layout go into one write. */
  readonly layout: number
  /**
   * Makes an Arrow batch of the rows. It has those optional columns that the table has too. Blocks the event loop for a
   * moment at most.
   */
  readonly toBatch: (columns: ReadonlySet<string>) => Promise<RecordBatch>
}

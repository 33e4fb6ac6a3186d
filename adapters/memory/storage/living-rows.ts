import type { MemoryTable } from './memory-table.js'

interface StoredRow {
  readonly id: number
  readonly deleted: string | null
}

/** The rows of a table that are not deleted, without their member `deleted`. */
export class LivingRows<Row extends StoredRow> {
  readonly #table: MemoryTable<Row>

  constructor(table: MemoryTable<Row>) {
    this.#table = table
  }

  insert(row: Omit<Row, 'id' | 'deleted'>): Omit<Row, 'deleted'> {
    return withoutDeleted(this.#table.insert({ ...row, deleted: null } as unknown as Omit<Row, 'id'>))
  }

  get(id: number): Omit<Row, 'deleted'> | undefined {
    const row = this.#table.get(id)
    return row?.deleted === null ? withoutDeleted(row) : undefined
  }

  /** Rows that pass, in the order of their ids. */
  filter(passes: (row: Row) => boolean = () => true): Omit<Row, 'deleted'>[] {
    return this.#table.filter((row) => row.deleted === null && passes(row)).map(withoutDeleted)
  }

  /** @returns true if the row exists and is not deleted */
  update(id: number, changes: Partial<Omit<Row, 'id'>>): boolean {
    return this.get(id) !== undefined && this.#table.update(id, changes)
  }
}

function withoutDeleted<Row extends StoredRow>(row: Row): Omit<Row, 'deleted'> {
  const { deleted: _deleted, ...rest } = row
  return rest
}

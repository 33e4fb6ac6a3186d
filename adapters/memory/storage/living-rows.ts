import type { MemoryTable } from './memory-table.js'

interface Stored {
  readonly id: number
  readonly deleted: string | null
}

/** The rows of a table that are not deleted, without the mark that says so. */
export class LivingRows<Row extends Stored> {
  readonly #table: MemoryTable<Row>

  constructor(table: MemoryTable<Row>) {
    this.#table = table
  }

  insert(row: Omit<Row, 'id' | 'deleted'>): Omit<Row, 'deleted'> {
    return shown(this.#table.insert({ ...row, deleted: null } as unknown as Omit<Row, 'id'>))
  }

  get(id: number): Omit<Row, 'deleted'> | undefined {
    const row = this.#table.get(id)
    return row?.deleted === null ? shown(row) : undefined
  }

  /** Rows that pass, ordered by id. */
  filter(passes: (row: Row) => boolean = () => true): Omit<Row, 'deleted'>[] {
    return this.#table.filter((row) => row.deleted === null && passes(row)).map(shown)
  }

  /** @returns whether the row is there. */
  update(id: number, changes: Partial<Omit<Row, 'id'>>): boolean {
    return this.get(id) !== undefined && this.#table.update(id, changes)
  }
}

function shown<Row extends Stored>(row: Row): Omit<Row, 'deleted'> {
  const { deleted: _deleted, ...rest } = row
  return rest
}

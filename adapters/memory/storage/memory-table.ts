import type { RowPage } from '../../../src/ports/index.js'

/** Functions that undo the changes of a transaction. They run in reverse order. */
export type Journal = (() => void)[]

/** Rows by id. Every change adds its undo function to the journal. */
export class MemoryTable<Row extends { readonly id: number }> {
  readonly #journal: Journal
  readonly #rows = new Map<number, Row>()
  #lastId = 0

  constructor(journal: Journal) {
    this.#journal = journal
  }

  insert(row: Omit<Row, 'id'>): Row {
    this.#lastId += 1
    const inserted = { ...structuredClone(row), id: this.#lastId } as Row
    this.#rows.set(inserted.id, inserted)
    this.#journal.push(() => this.#rows.delete(inserted.id))
    return structuredClone(inserted)
  }

  get(id: number): Row | undefined {
    return structuredClone(this.#rows.get(id))
  }

  /** Copies of the rows that pass, in the order of their ids. */
  filter(passes: (row: Row) => boolean = () => true): Row[] {
    return structuredClone([...this.#rows.values()].filter(passes).sort((one, other) => one.id - other.id))
  }

  find(passes: (row: Row) => boolean): Row | undefined {
    return this.filter(passes)[0]
  }

  /** Members that are undefined stay as they are. @returns true if the row exists */
  update(id: number, changes: Partial<Omit<Row, 'id'>>): boolean {
    const before = this.#rows.get(id)
    if (before === undefined) return false
    const definedChanges = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    this.#rows.set(id, { ...before, ...structuredClone(definedChanges) })
    this.#journal.push(() => this.#rows.set(id, before))
    return true
  }

  /** @returns true if the row existed */
  delete(id: number): boolean {
    const before = this.#rows.get(id)
    if (before === undefined) return false
    this.#rows.delete(id)
    this.#journal.push(() => this.#rows.set(id, before))
    return true
  }
}

/** A page of rows that are in the order of their ids. Without a page: all rows. */
export function pageOf<Row extends { readonly id: number }>(rows: readonly Row[], page?: RowPage): readonly Row[] {
  if (page === undefined) return rows
  const { after, upTo = Infinity, limit, maxBytes = Infinity } = page
  const within = rows.filter(({ id }) => id > after && id <= upTo).slice(0, limit)
  let bytes = 0
  const end = within.findIndex((row, index) => {
    bytes += countTextBytes(row)
    return index > 0 && bytes > maxBytes
  })
  return end < 0 ? within : within.slice(0, end)
}

function countTextBytes(row: object): number {
  return Object.values(row).reduce<number>((bytes, value: unknown) => {
    return bytes + (typeof value === 'string' ? new TextEncoder().encode(value).length : 0)
  }, 0)
}

import { tablePartDepth } from './html-elements.js'

/** Deeper tables share the counts of the last one: nobody reads them. */
const MAX_TABLES = 1_000

/**
 * Counts the open containers of a page by their names. A table is a border, as in a browser: no end tag in it ends an
 * element around it, and its own end ends all that is in it.
 */
export class OpenContainers {
  /** The counts outside tables, and for each open table the counts in it. */
  readonly #scopes: Map<string, number>[] = [new Map<string, number>()]
  #deeperTables = 0

  /** @param isTable true if the containers are those of a table */
  constructor(private readonly isTable: boolean) {}

  /** True in a table that is one of the containers. */
  get hasTable(): boolean {
    return this.#scopes.length > 1
  }

  /** True where parts of a table may stand. */
  get isInTable(): boolean {
    return this.isTable || this.hasTable
  }

  open(name: string): void {
    const depth = tablePartDepth(name)
    if (name === 'table') {
      if (this.#scopes.length > MAX_TABLES) this.#deeperTables += 1
      else this.#scopes.push(new Map())
    } else if (depth === undefined) this.#scope.set(name, (this.#scope.get(name) ?? 0) + 1)
    else if (this.isInTable) {
      this.#endParts(depth)
      this.#scope.set(name, 1)
      // A browser adds the row of a cell.
      if (depth === 2) this.#scope.set('tr', 1)
    }
  }

  /** @returns false if no such element is open, or if a table around the place hides it */
  close(name: string): boolean {
    const depth = tablePartDepth(name)
    if (name === 'table') {
      if (!this.hasTable) return false
      if (this.#deeperTables > 0) this.#deeperTables -= 1
      else this.#scopes.pop()
      return true
    }
    const count = this.#scope.get(name) ?? 0
    if (count === 0) return false
    if (depth === undefined) this.#scope.set(name, count - 1)
    else this.#endParts(depth)
    return true
  }

  get #scope(): Map<string, number> {
    return this.#scopes.at(-1) ?? new Map<string, number>()
  }

  /** Ends the parts of the table from a depth on, and what is in its cells. */
  #endParts(depth: number): void {
    for (const name of [...this.#scope.keys()]) {
      if ((tablePartDepth(name) ?? Number.POSITIVE_INFINITY) >= depth) this.#scope.delete(name)
    }
  }
}

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import type { Schema } from 'apache-arrow'
import { isError } from '../../src/ports/index.js'
import { hasDataFiles } from './lance-connection.js'
import { LanceConnections } from './lance-connections.js'
import { OpenTable } from './open-table.js'
import { PLAN_SUFFIX } from './search-plan.js'
import { listTables, removeTable, tableFolder } from './table-folders.js'
import { type TablePlace, writeLock } from './table-place.js'
import { TableSums } from './table-sums.js'

/** The number of tables that stay open: each costs about 100 kB. */
const MAX_OPEN_TABLES = 256
const NAMES_PER_PAGE = 1_000

/**
 * The tables of a location. A table is opened when it is used, and the most recently used ones stay open. If this
 * process is alone, a table never has two handles: one would not see the other's writes.
 */
export class LanceTables {
  readonly place: TablePlace
  readonly #connections: LanceConnections
  readonly #sums: TableSums | undefined
  /** In order of use, the least recently used first. */
  readonly #open = new Map<string, Promise<OpenTable | undefined>>()
  /** The number of calls that use a table now. A table in use stays open. */
  readonly #users = new Map<string, number>()

  constructor(place: TablePlace) {
    this.place = place
    this.#connections = new LanceConnections(place)
    // Other processes may write to shared tables, and drop and create them.
    this.#sums = place.folder === undefined || place.isShared ? undefined : new TableSums(place.folder)
  }

  /** Runs work with the table of that name; `undefined` if there is none. */
  async use<T>(name: string, work: (open: OpenTable | undefined) => Promise<T>): Promise<T> {
    return await this.#withUseCount(name, async () => await work(await this.#findOrOpen(name)))
  }

  /** Runs work with the table of that name, and first creates the table with the given columns if there is none. */
  async useOrMake<T>(name: string, schema: () => Promise<Schema>, work: (open: OpenTable) => Promise<T>): Promise<T> {
    return await this.#withUseCount(name, async () => {
      let open = await this.#findOrOpen(name)
      // If another call is opening the table now, wait for that result first.
      while (open === undefined) open = await this.#findOrOpen(name, () => this.#createTable(name, schema))
      return await work(open)
    })
  }

  /** True if new calls get this handle. */
  async isCurrent(name: string, open: OpenTable): Promise<boolean> {
    return (await this.#open.get(name)) === open
  }

  /** True if a table does not exist any more. A caller asks after a call failed because files were missing. */
  async isDropped(name: string): Promise<boolean> {
    try {
      if (this.place.isShared) await this.forgetDropped(name)
      return await this.use(name, (open) => Promise.resolve(open === undefined))
    } catch {
      return false
    }
  }

  /**
   * Makes the next call open the table as an unknown one, because another process has dropped it or is dropping it.
   * Waits for that process.
   */
  async forgetDropped(name: string): Promise<void> {
    this.#open.delete(name)
    this.#connections.noteDrop(name)
    await this.place.locks.hold(writeLock(name), () => Promise.resolve())
  }

  async names(): Promise<readonly string[]> {
    const { folder } = this.place
    if (folder !== undefined) {
      await this.#connections.prepare()
      return await listTables(folder)
    }
    return await this.#connections.use(async (connection) => {
      const names: string[] = []
      for (;;) {
        const startAfter = names.at(-1)
        const page = await connection.tableNames({
          limit: NAMES_PER_PAGE,
          ...(startAfter !== undefined && { startAfter }),
        })
        names.push(...page)
        if (page.length < NAMES_PER_PAGE) return names
      }
    })
  }

  async drop(name: string): Promise<void> {
    await this.#withUseCount(name, async () => {
      // A table that is not open need not be opened. One that cannot be opened can still be removed.
      const opening = this.#open.get(name)
      const open = opening === undefined ? undefined : await opening.catch(() => undefined)
      const drop = async (): Promise<void> => await this.#drop(name, open?.table)
      await (open === undefined ? this.place.locks.hold(writeLock(name), drop) : open.writer.exclusively(drop))
    })
  }

  /** Called after each write to a table. */
  noteWrite(name: string): void {
    this.#sums?.noteWrite(name)
  }

  /** The names of the open tables. */
  openNames(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Waits for writers, then closes everything. */
  async close(): Promise<void> {
    for (const opening of this.#open.values()) {
      const open = await opening.catch(() => undefined)
      await open?.writer.exclusivelyInProcess(async () => {
        open.table.close()
      })
    }
    this.#open.clear()
    await this.#sums?.close()
    await this.#connections.close()
  }

  async #withUseCount<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const users = (this.#users.get(name) ?? 1) - 1
      if (users > 0) this.#users.set(name, users)
      else this.#users.delete(name)
      this.#closeLeastUsed()
    }
  }

  /** Returns the existing handle, or the one that another call is opening; otherwise opens the table. */
  async #findOrOpen(name: string, open = () => this.#openTable(name)): Promise<OpenTable | undefined> {
    const opening = this.#open.get(name) ?? open()
    // Move the entry to the end of the map: it is the most recently used.
    this.#open.delete(name)
    this.#open.set(name, opening)
    const forget = (): void => {
      if (this.#open.get(name) === opening) this.#open.delete(name)
    }
    try {
      const found = await opening
      if (found === undefined) forget()
      return found
    } catch (error) {
      forget()
      throw error
    }
  }

  /**
   * Creates tables one at a time: if two processes create one table at once, Lance lets the later one overwrite rows
   * that the first has added.
   */
  async #createTable(name: string, schema: () => Promise<Schema>): Promise<OpenTable | undefined> {
    return await this.place.locks.hold(writeLock(name), async () => {
      const existing = await this.#openTable(name)
      if (existing !== undefined) return existing
      const columns = await schema()
      const table = await this.#connections.useFor(name, (connection) => connection.createEmptyTable(name, columns))
      return await OpenTable.open(table, this.place)
    })
  }

  async #openTable(name: string): Promise<OpenTable | undefined> {
    try {
      const checking = this.#sums?.check(name)
      // The promise is awaited below; this handler prevents an unhandled rejection if no connection can be made.
      checking?.catch(() => undefined)
      const table = await this.#connections.useFor(name, async (connection) => {
        await checking
        return await connection.openTable(name)
      })
      return await OpenTable.open(table, this.place)
    } catch (error) {
      if (isTableNotFound(error) || (isTableUnavailable(error) && !(await this.#isCommitted(name)))) return undefined
      throw error
    }
  }

  /**
   * True if the creation of a table that cannot be opened was ever finished. A crash may leave a folder without data.
   */
  async #isCommitted(name: string): Promise<boolean> {
    const { folder } = this.place
    if (folder === undefined) return await hasDataFiles(this.place, name)
    for (const part of ['_versions', 'data']) {
      if ((await readdir(join(tableFolder(folder, name), part)).catch(() => [])).length > 0) return true
    }
    return false
  }

  #closeLeastUsed(): void {
    for (const name of [...this.#open.keys()]) {
      if (this.#open.size <= MAX_OPEN_TABLES) return
      if (!this.#users.has(name)) this.#closeUnused(name)
    }
  }

  /** Closes an unused handle at once, not when its memory is collected. */
  #closeUnused(name: string): void {
    const opening = this.#open.get(name)
    this.#open.delete(name)
    opening?.then(
      (open) => open?.table.close(),
      () => undefined,
    )
  }

  async #drop(name: string, table?: Table): Promise<void> {
    table?.close()
    const dropping = this.#remove(name)
    // Calls that use the name in the meantime wait, and find no table.
    const absent = dropping.then(
      () => undefined,
      () => undefined,
    )
    this.#open.set(name, absent)
    try {
      await dropping
    } finally {
      if (this.#open.get(name) === absent) this.#open.delete(name)
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#sums?.forget(name)
    const { folder } = this.place
    const hadTable = await (folder === undefined ? this.#dropNatively(name) : removeTable(folder, name))
    if (hadTable) this.#connections.noteDrop(name)
    if (folder !== undefined) await rm(join(folder, `${name}${PLAN_SUFFIX}`), { force: true })
  }

  /** @returns false if there was no table */
  async #dropNatively(name: string): Promise<boolean> {
    try {
      await this.#connections.use((connection) => connection.dropTable(name))
      return true
    } catch (error) {
      if (isTableNotFound(error)) return false
      throw error
    }
  }
}

/**
 * True if a call failed because its table is closed or files of the table are missing: it was dropped, or it is
 * damaged. Lance reports this in the error's message only.
 */
export function isTableUnavailable(error: unknown): boolean {
  return isError(error) && /not found|is closed/i.test(error.message)
}

/**
 * True if there is no such table. For a table that exists and lacks files, Lance says that it "exists but could not be
 * loaded".
 */
function isTableNotFound(error: unknown): boolean {
  return isError(error) && /^table '[^']*' was not found/i.test(error.message)
}

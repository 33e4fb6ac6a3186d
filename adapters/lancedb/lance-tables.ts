import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection, Table } from '@lancedb/lancedb'
import type { Schema } from 'apache-arrow'
import { connectTo } from './lance-connection.js'
import { OpenTable } from './open-table.js'
import { PLAN_SUFFIX } from './search-plan.js'
import { makeBuilding, type TablePlace, writeLock } from './table-place.js'

/** Open tables kept at hand: each costs about 100 kB. */
const MAX_OPEN_TABLES = 256
const NAMES_PER_PAGE = 1_000

/**
 * The tables of a place: opened when they are used, the most recent kept open.
 * Never two handles of one table, where this process is alone: one would not see the other's writes.
 */
export class LanceTables {
  readonly place: TablePlace
  #connection: Promise<Connection> | undefined
  #removeBuilding: (() => Promise<void>) | undefined
  readonly #formerConnections: Promise<Connection>[] = []
  /** Names that were dropped, and not used since. */
  readonly #dropped = new Set<string>()
  /** The least recently used first. */
  readonly #open = new Map<string, Promise<OpenTable | undefined>>()
  /** How many calls use a table now: such a one stays open. */
  readonly #users = new Map<string, number>()

  constructor(place: TablePlace) {
    this.place = place
  }

  /** Works with the table of that name; `undefined` where there is none. */
  async use<T>(name: string, work: (open: OpenTable | undefined) => Promise<T>): Promise<T> {
    return await this.#counted(name, async () => await work(await this.#find(name)))
  }

  /** Works with the table of that name, made now, with the columns given, if there is none. */
  async useOrMake<T>(name: string, schema: () => Promise<Schema>, work: (open: OpenTable) => Promise<T>): Promise<T> {
    return await this.#counted(name, async () => {
      let open = await this.#find(name)
      // Where somebody else is opening it by now, what comes of that is waited for first.
      while (open === undefined) open = await this.#find(name, () => this.#createTable(name, schema))
      return await work(open)
    })
  }

  /** Whether this is the handle that new calls get. */
  async isCurrent(name: string, open: OpenTable): Promise<boolean> {
    return (await this.#open.get(name)) === open
  }

  /** Whether a table is not there any more; asked where a call failed because its files are missing. */
  async isGone(name: string): Promise<boolean> {
    try {
      if (this.place.isShared) await this.forgetDropped(name)
      return await this.use(name, (open) => Promise.resolve(open === undefined))
    } catch {
      return false
    }
  }

  /**
   * The next call opens the table anew, as one of which nothing is known: another process has dropped it, or does so now.
   * That is waited for.
   */
  async forgetDropped(name: string): Promise<void> {
    this.#open.delete(name)
    this.#dropped.add(name)
    await this.place.locks.hold(writeLock(name), () => Promise.resolve())
  }

  async names(): Promise<readonly string[]> {
    const connection = await this.#connect()
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
  }

  async drop(name: string): Promise<void> {
    await this.#counted(name, async () => {
      // What cannot be opened can be removed all the same.
      const open = await this.#find(name).catch(() => undefined)
      const drop = async (): Promise<void> => await this.#drop(name, open?.table)
      await (open === undefined ? this.place.locks.hold(writeLock(name), drop) : open.writer.alone(drop))
    })
  }

  /** The names of those that are open. */
  openNames(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Waits for writers, then closes everything. */
  async close(): Promise<void> {
    for (const opening of this.#open.values()) {
      const open = await opening.catch(() => undefined)
      await open?.writer.aloneHere(async () => {
        open.table.close()
      })
    }
    this.#open.clear()
    for (const connection of [...this.#formerConnections, this.#connection]) {
      ;(await connection?.catch(() => undefined))?.close()
    }
    await this.#removeBuilding?.()
  }

  async #counted<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const users = (this.#users.get(name) ?? 1) - 1
      if (users > 0) this.#users.set(name, users)
      else this.#users.delete(name)
      this.#forgetOldest()
    }
  }

  /** The handle that there is, or that somebody is opening; otherwise it is opened now. */
  async #find(name: string, open = () => this.#openTable(name)): Promise<OpenTable | undefined> {
    const opening = this.#open.get(name) ?? open()
    // To the end of the map: used last.
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

  /** One at a time: of two that make a table at once, Lance lets the later one overwrite what is in it by then. */
  async #createTable(name: string, schema: () => Promise<Schema>): Promise<OpenTable | undefined> {
    return await this.place.locks.hold(writeLock(name), async () => {
      const made = await this.#openTable(name)
      if (made !== undefined) return made
      const connection = await this.#connectFor(name)
      return await OpenTable.open(await connection.createEmptyTable(name, await schema()), this.place)
    })
  }

  async #openTable(name: string): Promise<OpenTable | undefined> {
    try {
      const table = await (await this.#connectFor(name)).openTable(name)
      return await OpenTable.open(table, this.place)
    } catch (error) {
      if (isNoTable(error) || (isMissing(error) && !(await this.#isCommitted(name)))) return undefined
      throw error
    }
  }

  /** Whether a table that cannot be opened was ever made to the end: a crash may have left a folder with no data. */
  async #isCommitted(name: string): Promise<boolean> {
    const { folder } = this.place
    // What an object store has is not known here: such a table counts as one that is not there.
    if (folder === undefined) return false
    for (const part of ['_versions', 'data']) {
      if ((await readdir(join(folder, `${name}.lance`, part)).catch(() => [])).length > 0) return true
    }
    return false
  }

  #forgetOldest(): void {
    for (const name of [...this.#open.keys()]) {
      if (this.#open.size <= MAX_OPEN_TABLES) return
      if (!this.#users.has(name)) this.#forget(name)
    }
  }

  /** Nobody uses it: its handle is closed at once, not when its memory is collected. */
  #forget(name: string): void {
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
    // Whoever asks for it meanwhile waits, and finds nothing.
    const gone = dropping.then(
      () => undefined,
      () => undefined,
    )
    this.#open.set(name, gone)
    try {
      await dropping
    } finally {
      if (this.#open.get(name) === gone) this.#open.delete(name)
    }
  }

  async #remove(name: string): Promise<void> {
    try {
      await (await this.#connect()).dropTable(name)
      this.#dropped.add(name)
    } catch (error) {
      if (!isNoTable(error)) throw error
    }
    const { folder } = this.place
    if (folder !== undefined) await rm(join(folder, `${name}${PLAN_SUFFIX}`), { force: true })
  }

  /** A connection remembers the indexes of each version of a table, and takes a new one for the one that was dropped. */
  async #connectFor(name: string): Promise<Connection> {
    if (this.#dropped.delete(name) && this.#connection !== undefined) {
      this.#formerConnections.push(this.#connection)
      this.#connection = this.#newConnection()
    }
    return await this.#connect()
  }

  /** Of one that fails, for want of room or of files, the next call makes another. */
  async #connect(): Promise<Connection> {
    const connecting = (this.#connection ??= this.#newConnection())
    try {
      return await connecting
    } catch (error) {
      if (this.#connection === connecting) this.#connection = undefined
      throw error
    }
  }

  async #newConnection(): Promise<Connection> {
    this.#removeBuilding ??= await makeBuilding(this.place)
    return await connectTo(this.place)
  }
}

/**
 * Whether a call failed because its table is closed, or files of the table are missing: it was dropped, or is damaged.
 * Lance tells it in words only.
 */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /not found|is closed/i.test(error.message)
}

/** Whether there is no such table. Of one that is there, and lacks files, Lance says that it "exists but could not be loaded". */
function isNoTable(error: unknown): boolean {
  return error instanceof Error && /^table '[^']*' was not found/i.test(error.message)
}

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { DataDirUnusableError, MigrationFailedError, NotInitializedError } from '../../../src/index.js'
import {
  KnexStorage,
  MIGRATION_SETTING,
  openSqlite,
  requireTables,
  SqliteSnapshot,
  withoutWriters,
} from '../../knex/index.js'
import { DATABASE, formerName, pathExists, VECTORS, WORDS } from '../../local/folder/data-dir.js'
import { lockDataDir, lockOutCommands } from '../../local/folder/data-dir-lock.js'
import { forgetMigration, markSource } from '../../local/folder/migration-mark.js'
import { requireLocalDatabase } from '../../local/open-local-database.js'
import { ID_SETTING, requireSameDatabase } from '../../local/same-database.js'
import { syncFolder } from '../../node-kit/index.js'

/** A data folder whose database is copied elsewhere. It is locked against engines and commands. */
export class MigrationSource {
  readonly folder: string
  /** True if a complete migration has already renamed the database of the folder. */
  readonly isSetAside: boolean
  readonly snapshot: SqliteSnapshot
  readonly databaseId: string
  /** The same as in the last run if no engine has worked on the folder since. */
  readonly copyId: string
  readonly #knex: Knex
  readonly #tablePrefix: string
  readonly #opened: Opened

  private constructor(parts: Parts, ids: { readonly databaseId: string; readonly copyId: string }) {
    this.folder = parts.folder
    this.isSetAside = parts.isSetAside
    this.snapshot = parts.snapshot
    this.databaseId = ids.databaseId
    this.copyId = ids.copyId
    this.#knex = parts.knex
    this.#tablePrefix = parts.tablePrefix
    this.#opened = parts.opened
  }

  /**
   * Takes the locks of the folder, and prepares a snapshot from which another engine can continue.
   *
   * @throws NotInitializedError if the folder has no database
   * @throws DataDirLockedError if an engine works on the folder
   */
  static async open(folder: string, tablePrefix: string): Promise<MigrationSource> {
    const isSetAside =
      !(await pathExists(join(folder, DATABASE))) && (await pathExists(formerName(join(folder, DATABASE))))
    if (!isSetAside) await requireLocalDatabase(folder)
    const file = isSetAside ? formerName(join(folder, DATABASE)) : join(folder, DATABASE)
    const opened: (() => Promise<void>)[] = []
    try {
      const lock = await lockDataDir(folder, { webhookAllow: [] })
      opened.unshift(async () => lock.release())
      const commands = await lockOutCommands(folder)
      opened.unshift(async () => commands.release())
      await requireFreeNames(folder)
      const knex = openSqlite(file)
      opened.unshift(async () => knex.destroy())
      await requireTables(knex, tablePrefix)
      const snapshot = await SqliteSnapshot.open(file, tablePrefix)
      opened.unshift(async () => snapshot.close())
      const storage = new KnexStorage({ knex, keepKnex: true, tablePrefix })
      const ids = await prepare(folder, storage, snapshot)
      return new MigrationSource({ folder, isSetAside, snapshot, knex, tablePrefix, opened }, ids)
    } catch (error) {
      await closeAll(opened)
      throw error
    }
  }

  /** Runs work on the database while no process can write to it. */
  async readWithoutWriters<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
    return await withoutWriters(this.#knex, this.#tablePrefix, async (knex) => {
      const copyId = await this.snapshot.setting(MIGRATION_SETTING)
      if (copyId === this.copyId) return await work(knex)
      throw new MigrationFailedError(`another process works on ${this.folder}: stop it, then retry the migration`)
    })
  }

  /** The path of a file or folder after {@link setAside}. */
  former(name: string): string {
    return formerName(join(this.folder, name))
  }

  /** Makes the next run copy everything from the beginning, because the copy is out of date. */
  async forget(): Promise<void> {
    const storage = new KnexStorage({ knex: this.#knex, keepKnex: true, tablePrefix: this.#tablePrefix })
    await forgetMigration(storage)
  }

  /**
   * Renames files and folders that are no longer used, the database first: without it no engine opens the folder.
   * @throws MigrationFailedError if another program has the database open
   */
  async setAside(names: readonly string[]): Promise<void> {
    const rows = await this.#knex.raw<readonly { readonly busy: number }[]>('pragma wal_checkpoint(truncate)')
    if (rows[0]?.busy !== 0) {
      throw new MigrationFailedError(
        `another program has opened the database in ${this.folder}: stop it, then retry the migration`,
      )
    }
    await this.snapshot.close()
    await this.#knex.destroy()
    for (const name of names) {
      if (await pathExists(join(this.folder, name))) await rename(join(this.folder, name), this.former(name))
    }
    await syncFolder(this.folder)
  }

  async close(): Promise<void> {
    await closeAll(this.#opened)
  }
}

/** The functions that close the opened parts, the newest first. */
type Opened = readonly (() => Promise<void>)[]

async function closeAll(opened: Opened): Promise<void> {
  for (const close of opened) await close()
}

/** @throws DataDirUnusableError if a file of an earlier migration has the name that this one needs */
async function requireFreeNames(folder: string): Promise<void> {
  for (const name of [DATABASE, VECTORS, WORDS]) {
    const path = join(folder, name)
    if (!(await pathExists(path)) || !(await pathExists(formerName(path)))) continue
    throw new DataDirUnusableError(
      `${formerName(path)} exists beside ${name}, from an earlier migration: remove or rename it`,
    )
  }
}

type Parts = Pick<MigrationSource, 'folder' | 'isSetAside' | 'snapshot'> & {
  readonly knex: Knex
  readonly tablePrefix: string
  readonly opened: Opened
}

async function prepare(folder: string, storage: KnexStorage, snapshot: SqliteSnapshot) {
  await requireSameDatabase(folder, storage)
  const databaseId = await snapshot.setting(ID_SETTING)
  if (databaseId === undefined || (await snapshot.setting('owner')) === undefined) {
    throw new NotInitializedError(`${folder} has no data: run "alcove init" first`)
  }
  await snapshot.settle()
  return { databaseId, copyId: await markSource(storage) }
}

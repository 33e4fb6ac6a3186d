import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sqlite3 from 'sqlite3'
import { DataDirLockedError, DataDirUnusableError } from '../../src/index.js'
import { codeOf, isCode } from './system-code.js'

/** A process that has just ended may take a moment to let go. */
const HANDOVER_MS = 200
export const LOCK_FILE = 'alcove.lock'
export const COMMANDS_LOCK_FILE = 'alcove.commands.lock'
const COMMANDS_WAIT_MS = 5_000
export const HOLDER_FILE = 'alcove.lock.json'
const FILE_MODE = 0o600
/** Tells this process from others, which in containers may have the same id. */
const THIS_PROCESS = randomUUID()

/** Holds a data folder for this process, until it is released or the process dies. */
export interface DataDirLock {
  release(): Promise<void>
}

/** How whoever holds a folder works, for commands beside it. */
export interface HolderSettings {
  /** Addresses that destinations may have though they are not public. */
  readonly webhookAllow: readonly string[]
}

/**
 * Takes the lock of a data folder: an exclusive transaction on a small SQLite
 * file, which is a lock of the operating system and so never outlives its holder.
 *
 * @throws DataDirLockedError with the holder's process id
 * @throws DataDirUnusableError where nothing can be written there
 */
export async function lockDataDir(dataDir: string, settings: HolderSettings): Promise<DataDirLock> {
  await makeOnce(join(dataDir, LOCK_FILE)).catch((error: unknown) => {
    throw unusable(dataDir, error)
  })
  const lock = await lockFile(dataDir, LOCK_FILE, {
    // The journal in memory: a journal on disk would be left behind by a killed holder.
    sql: 'pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive',
    waitMs: HANDOVER_MS,
    whenHeld: async () => await describeHolder(dataDir),
  })
  try {
    await writeFile(join(dataDir, HOLDER_FILE), JSON.stringify({ ...thisHolder(), ...settings }), { mode: FILE_MODE })
    await makeOnce(join(dataDir, COMMANDS_LOCK_FILE))
    return lock
  } catch (error) {
    await lock.release()
    throw unusable(dataDir, error)
  }
}

/**
 * Makes a lock file for its owner alone. A command that only reads need not make one. A file that is there stays untouched: who opens and closes it loses what this
 * process holds of it, by the rules of POSIX for locks.
 */
async function makeOnce(path: string): Promise<void> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: FILE_MODE })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
}

/**
 * Keeps a migration from the folder's database, for a command that works on it beside the engine that has the folder.
 *
 * @throws DataDirLockedError where it is being migrated, for longer than some seconds
 */
export async function lockForCommand(dataDir: string): Promise<DataDirLock> {
  return await lockFile(dataDir, COMMANDS_LOCK_FILE, {
    sql: 'begin; select count(*) from sqlite_master',
    waitMs: COMMANDS_WAIT_MS,
    whenHeld: () => `the data folder ${dataDir} is being migrated: wait for the end of that`,
  })
}

/**
 * Keeps all commands from the folder's database, for a migration.
 * @throws DataDirLockedError where one works on it, for longer than some seconds
 */
export async function lockOutCommands(dataDir: string): Promise<DataDirLock> {
  return await lockFile(dataDir, COMMANDS_LOCK_FILE, {
    sql: 'pragma journal_mode = memory; begin exclusive',
    waitMs: COMMANDS_WAIT_MS,
    whenHeld: () => `a command works on the data folder ${dataDir}, such as a backup: wait for its end`,
  })
}

interface LockOrder {
  /** Begins a transaction that holds the lock. */
  readonly sql: string
  /** How long is waited for somebody else. */
  readonly waitMs: number
  readonly whenHeld: () => string | Promise<string>
}

async function lockFile(dataDir: string, file: string, { sql, waitMs, whenHeld }: LockOrder): Promise<DataDirLock> {
  const database = await open(join(dataDir, file)).catch((error: unknown) => {
    throw unusable(dataDir, error)
  })
  database.configure('busyTimeout', waitMs)
  const run = promisify(database.exec.bind(database))
  const close = promisify(database.close.bind(database))
  try {
    await run(sql)
  } catch (error) {
    await close()
    if (!isCode(error, 'SQLITE_BUSY')) throw unusable(dataDir, error)
    throw new DataDirLockedError(await whenHeld(), { cause: error })
  }
  return { release: async () => await close() }
}

/** How whoever holds a folder works; as by default where nobody does. */
export async function readHolderSettings(dataDir: string): Promise<HolderSettings> {
  const text = await readFile(join(dataDir, HOLDER_FILE), 'utf8').catch(() => '{}')
  try {
    const { pid, webhookAllow } = JSON.parse(text) as Partial<HolderSettings> & { readonly pid?: number }
    return { webhookAllow: isAlive(pid) && Array.isArray(webhookAllow) ? webhookAllow : [] }
  } catch {
    return { webhookAllow: [] }
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch (error) {
    // It lives, and is somebody else's.
    return isCode(error, 'EPERM')
  }
}

async function open(filename: string): Promise<sqlite3.Database> {
  return await new Promise((resolve, reject) => {
    const database = new sqlite3.Database(filename, (error) => {
      if (error === null) resolve(database)
      else reject(error)
    })
  })
}

function thisHolder() {
  return { pid: process.pid, since: new Date().toISOString(), process: THIS_PROCESS }
}

async function describeHolder(dataDir: string): Promise<string> {
  const holder = await readFile(join(dataDir, HOLDER_FILE), 'utf8').catch(() => '{}')
  if (holder.includes(THIS_PROCESS))
    return `the data folder ${dataDir} is open in this process already: use that engine, or close it first`
  const pid = /"pid":(\d+)/.exec(holder)?.[1]
  const who = pid === undefined ? 'another process' : `another process (pid ${pid})`
  return `the data folder ${dataDir} is in use by ${who}: stop it, or use another folder; several processes work together where all of them are given databaseUrl, which is --database-url`
}

/** The error for a data folder that is there, or can be there, but is of no use. */
export function unusable(dataDir: string, cause: unknown): DataDirUnusableError {
  const reason = codeOf(cause) ?? 'unknown'
  return new DataDirUnusableError(
    `the data folder ${dataDir} cannot be written (${reason}): name a folder that you may write`,
    { cause },
  )
}

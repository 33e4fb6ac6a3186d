import { randomUUID } from 'node:crypto'
import { readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Database } from 'sqlite3'
import { type DataDirHolder, DataDirLockedError, DataDirUnusableError } from '../../../src/index.js'
import { codeOf, isCode, loadNative, replacePrivateFile } from '../../node-kit/index.js'

/** The wait for the lock: a process that has just ended may need a moment to release it. */
const HANDOVER_MS = 200
export const LOCK_FILE = 'alcove.lock'
export const COMMANDS_LOCK_FILE = 'alcove.commands.lock'
const COMMANDS_WAIT_MS = 5_000
export const HOLDER_FILE = 'alcove.lock.json'
const FILE_MODE = 0o600
/** Identifies this copy of the module, in one thread of one process. */
const THIS_COPY = randomUUID()

/** The lock of a data folder. This process holds it until it releases it or dies. */
export interface DataDirLock {
  release(): Promise<void>
}

/** Settings of the engine that holds the lock of a folder, for commands that run beside it. */
interface HolderSettings {
  /** Addresses that are not public and that destinations may still have. */
  readonly webhookAllow: readonly string[]
}

/**
 * Takes the lock of a data folder: an exclusive transaction on a small SQLite file. The operating system holds the
 * lock, so it never outlives its process.
 *
 * @throws DataDirLockedError with the process id of the holder
 * @throws DataDirUnusableError if the folder cannot be written
 * @throws NativePartError if SQLite's driver is not built
 */
export async function lockDataDir(dataDir: string, settings: HolderSettings): Promise<DataDirLock> {
  await createIfMissing(join(dataDir, LOCK_FILE)).catch((error: unknown) => {
    throw unusable(dataDir, error)
  })
  const lock = await lockFile(dataDir, LOCK_FILE, {
    // The journal is in memory, because a killed process would leave a journal on disk.
    sql: 'pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive',
    waitMs: HANDOVER_MS,
    whenHeld: async () => await describeHolder(dataDir),
  })
  try {
    await writeFile(join(dataDir, HOLDER_FILE), JSON.stringify({ ...(await thisHolder()), ...settings }), {
      mode: FILE_MODE,
    })
    await createIfMissing(join(dataDir, COMMANDS_LOCK_FILE))
    return lock
  } catch (error) {
    await lock.release()
    throw unusable(dataDir, error)
  }
}

/**
 * Creates a lock file that only its owner may read, so that a command that only reads need not create it. An existing
 * file is not opened: by the POSIX rules for locks, opening and closing it would drop the locks of this process.
 */
async function createIfMissing(path: string): Promise<void> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: FILE_MODE })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
}

/**
 * Takes a shared lock for a command that works on the database beside the engine. It keeps a migration away.
 *
 * @throws DataDirLockedError if a migration still runs after five seconds
 */
export async function lockForCommand(dataDir: string): Promise<DataDirLock> {
  return await lockFile(dataDir, COMMANDS_LOCK_FILE, {
    sql: 'begin; select count(*) from sqlite_master',
    waitMs: COMMANDS_WAIT_MS,
    whenHeld: () => ({
      message: `the data folder ${dataDir} is being migrated: wait until "alcove migrate" ends`,
    }),
  })
}

/**
 * Takes an exclusive lock for a migration. It keeps all commands away from the database.
 * @throws DataDirLockedError if a command still runs after five seconds
 */
export async function lockOutCommands(dataDir: string): Promise<DataDirLock> {
  return await lockFile(dataDir, COMMANDS_LOCK_FILE, {
    sql: 'pragma journal_mode = memory; begin exclusive',
    waitMs: COMMANDS_WAIT_MS,
    whenHeld: () => ({
      message: `a command, such as a backup, works on the data folder ${dataDir}: wait until it ends`,
    }),
  })
}

interface Held {
  readonly message: string
  readonly holder?: DataDirHolder
}

interface LockRequest {
  /** Begins the transaction that holds the lock. */
  readonly sql: string
  /** The longest wait for another process. */
  readonly waitMs: number
  /** Describes the holder if another process holds the lock. */
  readonly whenHeld: () => Held | Promise<Held>
}

async function lockFile(dataDir: string, file: string, { sql, waitMs, whenHeld }: LockRequest): Promise<DataDirLock> {
  const { default: sqlite3 } = await loadNative('sqlite3', async () => await import('sqlite3'))
  const database = await open(sqlite3, join(dataDir, file)).catch((error: unknown) => {
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
    const { message, holder } = await whenHeld()
    throw new DataDirLockedError(message, { cause: error, holder })
  }
  return { release: async () => await close() }
}

/**
 * Finds the process that works on a data folder. It never rejects.
 *
 * @returns undefined if no other process does, or if that cannot be found out
 */
export async function findHolder(dataDir: string): Promise<DataDirHolder | undefined> {
  try {
    // SQLite would create the file.
    await stat(join(dataDir, LOCK_FILE))
    const lock = await lockFile(dataDir, LOCK_FILE, {
      // A shared lock: it keeps no engine away for longer than its read.
      sql: 'begin; select count(*) from sqlite_master',
      waitMs: 0,
      whenHeld: async () => await describeHolder(dataDir),
    })
    await lock.release()
    return undefined
  } catch (error) {
    return error instanceof DataDirLockedError ? error.holder : undefined
  }
}

/** True if this process was the last that took the lock of a folder, and has released it. It never rejects. */
export async function wasLastHolder(dataDir: string): Promise<boolean> {
  const isFree = (await findHolder(dataDir)) === undefined
  const text = await readFile(join(dataDir, HOLDER_FILE), 'utf8').catch(() => '')
  return isFree && text.includes(THIS_COPY)
}

/**
 * Tells other processes the URL of the server that works on a data folder. It does nothing if this process has not
 * opened the folder. It never rejects: without the URL, the others know the process alone.
 */
export async function noteServer(dataDir: string, address: string): Promise<void> {
  const path = join(dataDir, HOLDER_FILE)
  try {
    const text = await readFile(path, 'utf8')
    if (!text.includes(THIS_COPY)) return
    await replacePrivateFile(path, JSON.stringify({ ...(JSON.parse(text) as object), address }))
  } catch {
    // See above.
  }
}

/** Reads the settings of the engine that holds the lock of a folder. Defaults if no engine holds it. */
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
    // The process exists and belongs to another user.
    return isCode(error, 'EPERM')
  }
}

async function open(sqlite3: typeof import('sqlite3'), filename: string): Promise<Database> {
  return await new Promise((resolve, reject) => {
    const database = new sqlite3.Database(filename, (error) => {
      if (error === null) resolve(database)
      else reject(error)
    })
  })
}

async function thisHolder() {
  const { pid } = process
  return { pid, since: new Date().toISOString(), process: THIS_COPY, processes: await thisProcesses() }
}

/** Identifies the processes that have different ids: those in two containers may have the same one. */
async function thisProcesses(): Promise<string> {
  const ofContainer = await readlink('/proc/self/ns/pid').catch(() => '')
  return `${hostname()} ${ofContainer}`.trim()
}

/** True if the holder that wrote a text is one of the processes whose ids this process sees. */
async function isOfTheseProcesses(text: string): Promise<boolean> {
  return text.includes(`"processes":${JSON.stringify(await thisProcesses())}`)
}

/**
 * Reads what the holder of the lock has written. A process that has just taken the lock may not have written it yet,
 * and the address of the last server would send users to a server that is gone. So an address needs a second look.
 */
async function readHolder(dataDir: string): Promise<string> {
  const read = async (): Promise<string> => await readFile(join(dataDir, HOLDER_FILE), 'utf8').catch(() => '{}')
  const first = await read()
  if (parseHolder(first).address === undefined) return first
  await new Promise((resolve) => setTimeout(resolve, HANDOVER_MS))
  const second = await read()
  const isGone = !isAlive(parseHolder(second).pid) && (await isOfTheseProcesses(second))
  return isGone ? '{}' : second
}

async function describeHolder(dataDir: string): Promise<Held> {
  const text = await readHolder(dataDir)
  if (text.includes(THIS_COPY))
    return { message: `this process has already opened the data folder ${dataDir}: use that engine, or close it first` }
  const pid = /"pid":(\d+)/.exec(text)?.[1]
  const isThisProcess = pid === String(process.pid) && (await isOfTheseProcesses(text))
  const sharers = isThisProcess ? 'threads' : 'processes'
  const inUse = (by: string, advice: string): string =>
    `the data folder ${dataDir} is in use by ${by}: ${advice}, or use another folder; to let several ${sharers} share a folder, give all of them databaseUrl (--database-url)`
  if (isThisProcess) {
    const by = 'another thread of this process, or another copy of alcove in it'
    return { message: inUse(by, 'close that engine first') }
  }
  const holder = parseHolder(text)
  const by = pid === undefined ? 'another process' : `another process (pid ${pid})`
  const message =
    holder.address === undefined
      ? inUse(by, 'stop it')
      : inUse(`${by}, the server ${holder.address}`, 'send it the request over REST, stop it')
  return { message, holder }
}

function parseHolder(text: string): DataDirHolder {
  try {
    const { pid, address } = JSON.parse(text) as { readonly pid?: unknown; readonly address?: unknown }
    return {
      ...(typeof pid === 'number' && { pid }),
      ...(typeof address === 'string' && { address }),
    }
  } catch {
    return {}
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full, free some space',
  EDQUOT: 'its disk is full, free some space',
  EROFS: 'its disk is read-only, make it writable or use another folder',
}

/** The error for a data folder that cannot be read or written. */
export function unusable(dataDir: string, cause: unknown): DataDirUnusableError {
  const reason = codeOf(cause) ?? 'unknown'
  const advice = ADVICE[reason] ?? 'use a folder that you may write'
  return new DataDirUnusableError(`cannot write the data folder ${dataDir} (${reason}): ${advice}`, { cause })
}

import { resolve } from 'node:path'
import {
  type Context,
  DataDirLockedError,
  type Engine,
  InvalidInputError,
  NotInitializedError,
  type Session,
  UnsupportedError,
} from '../../../src/index.js'
import type { LocalEngineOptions } from '../../local/index.js'
import { engineOptions, type GlobalOptions } from '../options.js'
import { tell } from '../output/output.js'
import { releasing } from '../releasing.js'

/** The client id of the command line in the audit trail. */
export const COMMAND_LINE = 'command-line'

/** Runs work that needs only the database. An engine may work on the folder at the same time. */
export async function withDatabase<T>(
  options: GlobalOptions,
  work: (engine: Engine) => Promise<T>,
  settings: Pick<LocalEngineOptions, 'mail' | 'mailer' | 'signingKeyFile' | 'webhooks'> = {},
  onInterrupt?: () => void,
): Promise<T> {
  const { openLocalDatabase } = await loadLocal()
  return await closing(
    await openLocalDatabase({ ...engineOptions(options), ...settings, hostClientId: COMMAND_LINE }),
    work,
    onInterrupt,
  )
}

/**
 * Runs work that needs files, vectors, words or the model. Locks the folder. It sends no events or mails: `serve`
 * sends them later, because only its options say where they may go.
 *
 * @param onInterrupt called when the user interrupts
 */
export async function withEngine<T>(
  options: GlobalOptions,
  work: (engine: Engine) => Promise<T>,
  onInterrupt?: () => void,
): Promise<T> {
  await requireInitialized(options)
  const { openLocalEngine } = await loadLocal()
  return await closing(
    await openLocalEngine({ ...engineOptions(options), roles: ['ingest'], hostClientId: COMMAND_LINE }),
    work,
    onInterrupt,
  )
}

/**
 * Runs work on the folder as the last process left it: the sweep does not run first. Locks the folder.
 *
 * @param isWorking true to process documents; false to change nothing
 * @param onInterrupt called when the user interrupts
 */
export async function withUnsweptEngine<T>(
  options: GlobalOptions,
  isWorking: boolean,
  work: (engine: Engine) => Promise<T>,
  onInterrupt?: () => void | Promise<void>,
): Promise<T> {
  await requireInitialized(options)
  const { openLocalEngine } = await loadLocal()
  const mode = isWorking ? { roles: ['ingest'] as const, isSweeping: false } : { isWorking: false }
  return await closing(
    await openLocalEngine({ ...engineOptions(options), ...mode, hostClientId: COMMAND_LINE }),
    work,
    onInterrupt,
  )
}

/**
 * Locks the folder if it can. Otherwise another process works on the folder, and the work gets the database only.
 * @param onInterrupt called when the user interrupts, with true if this process works on the folder
 */
export async function withEngineOrDatabase<T>(
  options: GlobalOptions,
  work: (engine: Engine, isWorking: boolean) => Promise<T>,
  onInterrupt?: (isWorking: boolean) => void,
): Promise<T> {
  try {
    return await withEngine(
      options,
      async (engine) => await work(engine, true),
      () => onInterrupt?.(true),
    )
  } catch (error) {
    if (!(error instanceof DataDirLockedError)) throw error
    return await withDatabase(
      options,
      async (engine) => await work(engine, false),
      {},
      () => onInterrupt?.(false),
    )
  }
}

async function closing<T>(
  engine: Engine,
  work: (engine: Engine) => Promise<T>,
  onInterrupt?: () => void | Promise<void>,
): Promise<T> {
  return await releasing(
    async () => await work(engine),
    async () => {
      await engine.close()
    },
    onInterrupt,
  )
}

/** The owner's session: it sees everything in the root company's account. */
export function ownerSession(engine: Engine): Session {
  return engine.as({ ...engine.owner, origin: { clientId: COMMAND_LINE } })
}

/** @throws InvalidInputError if no context, or more than one, has the id or name */
export async function findContext(session: Session, idOrName: string): Promise<Context> {
  const contexts = await session.contexts.list()
  const byId = /^\d+$/.test(idOrName) ? contexts.find(({ id }) => id === Number(idOrName)) : undefined
  if (byId !== undefined) return byId
  const byName = contexts.filter(({ name }) => name.normalize('NFC') === idOrName.normalize('NFC'))
  const [only, ...others] = byName
  if (only === undefined)
    throw new InvalidInputError('context', `no context has the id or name ${idOrName}; "alcove context list" lists all`)
  if (others.length === 0) return only
  throw new InvalidInputError(
    'context',
    `several contexts have the name ${idOrName}: use an id, one of ${byName.map(({ id }) => id).join(', ')}`,
  )
}

/** Waits until deleted data is off the disk. Tells the user if that has to wait for disk space. */
export async function clearAway(engine: Engine): Promise<void> {
  if ((await engine.whenCleared()) !== 'full') return
  tell('a disk is full: free some space; the next run of Alcove then removes the deleted data')
}

export async function isInitialized(options: Pick<GlobalOptions, 'dataDir' | 'databaseUrl'>): Promise<boolean> {
  try {
    await requireInitialized(options)
    return true
  } catch (error) {
    if (error instanceof NotInitializedError) return false
    throw error
  }
}

/** @throws NotInitializedError if the data folder does not exist yet */
export async function requireInitialized({
  dataDir,
  databaseUrl,
}: Pick<GlobalOptions, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const { requireLocalDatabase } = await loadLocal()
  await requireLocalDatabase(resolve(dataDir), databaseUrl)
}

/** @throws UnsupportedError if the database or the files are not in the data folder: such a command needs both there */
export function requireAllInFolder(
  { databaseUrl, filesUrl }: Pick<GlobalOptions, 'databaseUrl' | 'filesUrl'>,
  command: string,
): void {
  if (databaseUrl !== undefined) {
    throw new UnsupportedError(
      `"alcove ${command}" needs the database in the data folder: with --database-url, use pg_dump and pg_restore, and copy the folder with the files`,
    )
  }
  if (filesUrl === undefined) return
  throw new UnsupportedError(
    `"alcove ${command}" needs the files in the data folder: with --files-url, copy the bucket with the tools of its provider, after the database`,
  )
}

/** Loads the largest modules. Only commands that need them load them, so that help and usage errors appear at once. */
export async function loadLocal(): Promise<typeof import('../../local/index.js')> {
  return await import('../../local/index.js')
}

/** Loads the REST API and its server. */
export async function loadHttpServer(): Promise<typeof import('../../http-server/index.js')> {
  return await import('../../http-server/index.js')
}

/** Loads the Model Context Protocol. */
export async function loadMcp(): Promise<typeof import('../../mcp/index.js')> {
  return await import('../../mcp/index.js')
}

/** Loads the handler of the console. */
export async function loadConsole(): Promise<typeof import('../../console/index.js')> {
  return await import('../../console/index.js')
}

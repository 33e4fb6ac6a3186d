import { resolve } from 'node:path'
import {
  DataDirLockedError,
  type Engine,
  NotInitializedError,
  type Session,
  UnsupportedError,
} from '../../src/index.js'
import type { LocalEngineOptions } from '../local/index.js'
import { loadLocal } from './loading.js'
import type { GlobalOptions } from './options.js'
import { releasing } from './releasing.js'

/** How the audit trail names what comes from here. */
export const COMMAND_LINE = 'command-line'

/** Runs beside an engine that works on the folder: what needs the database only. */
export async function withDatabase<T>(
  options: GlobalOptions,
  work: (engine: Engine) => Promise<T>,
  settings: Pick<LocalEngineOptions, 'mail' | 'mailer' | 'signingKeyFile' | 'webhooks'> = {},
): Promise<T> {
  const { openLocalDatabase } = await loadLocal()
  return await closing(await openLocalDatabase({ ...options, ...settings, hostClientId: COMMAND_LINE }), work)
}

/**
 * Works on the folder, alone: what needs files, vectors, words or the model. Events and mails wait for `serve`, which
 * knows where they may go.
 *
 * @param interrupted called where the user interrupts
 */
export async function withEngine<T>(
  options: GlobalOptions,
  work: (engine: Engine) => Promise<T>,
  interrupted?: () => void,
): Promise<T> {
  await requireInitialized(options)
  const { openLocalEngine } = await loadLocal()
  return await closing(
    await openLocalEngine({ ...options, roles: ['ingest'], hostClientId: COMMAND_LINE }),
    work,
    interrupted,
  )
}

/**
 * Looks at the folder, alone, as the last one has left it: nothing is swept away first.
 *
 * @param isWorking whether documents may be processed; otherwise nothing is changed
 * @param interrupted called where the user interrupts
 */
export async function withUnsweptEngine<T>(
  options: GlobalOptions,
  isWorking: boolean,
  work: (engine: Engine) => Promise<T>,
  interrupted?: () => void,
): Promise<T> {
  await requireInitialized(options)
  const { openLocalEngine } = await loadLocal()
  const how = isWorking ? { roles: ['ingest'] as const, isSweeping: false } : { isWorking: false }
  return await closing(await openLocalEngine({ ...options, ...how, hostClientId: COMMAND_LINE }), work, interrupted)
}

/** Works on the folder, or where somebody else does, beside it on the database. */
export async function withEngineOrDatabase<T>(
  options: GlobalOptions,
  work: (engine: Engine, isWorking: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await withEngine(options, async (engine) => await work(engine, true))
  } catch (error) {
    if (!(error instanceof DataDirLockedError)) throw error
    return await withDatabase(options, async (engine) => await work(engine, false))
  }
}

/** The owner's session: it sees everything in the root company's account. */
export function ownerSession(engine: Engine): Session {
  return engine.as({ ...engine.owner, origin: { clientId: COMMAND_LINE } })
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

/** @throws NotInitializedError where there is no data folder yet */
export async function requireInitialized({
  dataDir,
  databaseUrl,
}: Pick<GlobalOptions, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const { requireLocalDatabase } = await loadLocal()
  await requireLocalDatabase(resolve(dataDir), databaseUrl)
}

/** @throws UnsupportedError for a command that works on a folder only, with its own database and its own files */
export function requireAllInFolder(
  { databaseUrl, filesUrl }: Pick<GlobalOptions, 'databaseUrl' | 'filesUrl'>,
  what: string,
): void {
  if (databaseUrl !== undefined) {
    throw new UnsupportedError(
      `"alcove ${what}" is for a folder with its own database: use pg_dump and pg_restore for the one at --database-url, and copy the folder with the files`,
    )
  }
  if (filesUrl === undefined) return
  throw new UnsupportedError(
    `"alcove ${what}" is for a folder with its own files: copy the bucket at --files-url by its own means, after the database`,
  )
}

async function closing<T>(engine: Engine, work: (engine: Engine) => Promise<T>, interrupted?: () => void): Promise<T> {
  return await releasing(
    async () => await work(engine),
    async () => {
      await engine.close()
    },
    interrupted,
  )
}

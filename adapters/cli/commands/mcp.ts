import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import { DataDirLockedError, type Session } from '../../../src/index.js'
import type { SessionSource } from '../../mcp/index.js'
import { EngineOnDemand } from '../engines/engine-on-demand.js'
import { COMMAND_LINE, findContext, loadLocal, loadMcp, ownerSession, withDatabase } from '../engines/engines.js'
import { heldAtStart, lockedForAgent, lockedForPerson } from '../engines/locked-by-other.js'
import { collectEach, engineOptions, type GlobalOptions, globalOptions, option } from '../options.js'
import { LOG_LEVELS, Log } from '../output/log.js'
import { tell } from '../output/output.js'
import { onInterrupt } from '../releasing.js'

const DEFAULT_RELEASE_SECONDS = 10
/** So long that another process of this kind has released the folder, and shorter than clients wait for a tool. */
const LOCK_WAIT_MS = 15_000
const EXIT_DELAY_MS = 1_000

export function mcpCommand(): CommandUnknownOpts {
  return new Command('mcp')
    .description('serve contexts and documents to an agent by the Model Context Protocol, over stdin and stdout')
    .addOption(
      option('--context <context>', 'id or name of a context to offer; repeatable; default: all', 'mcp').argParser(
        collectEach,
      ),
    )
    .addOption(
      option(
        '--release-after <seconds>',
        'seconds after the last search until other commands may use the folder; not with --database-url',
      )
        .argParser(parseSeconds)
        .default(DEFAULT_RELEASE_SECONDS),
    )
    .addOption(
      option('--log-level <level>', 'what to log on stderr', 'mcp')
        .choices(LOG_LEVELS)
        .default('warn' as const),
    )
    .action(async ({ context: given, releaseAfter, logLevel }, command) => {
      const options = globalOptions(command)
      const contexts = given === undefined ? undefined : await findContextIds(options, given)
      if (contexts === undefined) await withDatabase(options, async () => await Promise.resolve())
      const telemetry = new Log(logLevel)
      const { serveMcpStdio } = await loadMcp()
      const warn = logLevel === 'silent' ? () => undefined : tell
      if (options.databaseUrl === undefined) await warnOfHolder(options, warn)
      const source = new FolderSessions(options, { releaseMs: releaseAfter * 1_000, telemetry, warn })
      const connection = serveMcpStdio(source, { telemetry, ...(contexts && { contexts }) })
      const stopListening = onInterrupt(() => void connection.close())
      await connection.closed
      stopListening()
      await source.close()
      // A client that keeps the pipe open must not keep the process alive.
      setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
    })
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return seconds
  throw new InvalidArgumentError('Expected a number of seconds.')
}

async function findContextIds(options: GlobalOptions, given: readonly string[]): Promise<readonly number[]> {
  return await withDatabase(options, async (engine) => {
    const session = ownerSession(engine)
    const ids: number[] = []
    for (const context of given) ids.push((await findContext(session, context)).id)
    return ids
  })
}

interface SessionSettings {
  readonly releaseMs: number
  readonly telemetry: Log
  /** Tells the person who started the process. */
  readonly warn: (line: string) => void
}

/** Warns at the start, because a person may look at the log before the first search. */
async function warnOfHolder({ dataDir }: GlobalOptions, warn: (line: string) => void): Promise<void> {
  const { findHolder } = await loadLocal()
  const holder = await findHolder(dataDir)
  if (holder !== undefined) warn(heldAtStart(dataDir, holder, LOCK_WAIT_MS))
}

/** Sessions of the owner. Only searches lock the folder: an engine may work on it during other calls. */
class FolderSessions implements SessionSource {
  readonly #database: EngineOnDemand
  readonly #engine: EngineOnDemand
  readonly #locked: (error: DataDirLockedError) => DataDirLockedError

  constructor(options: GlobalOptions, { releaseMs, telemetry, warn }: SessionSettings) {
    this.#locked = (error) => {
      if (error.holder !== undefined) warn(lockedForPerson(options.dataDir, error.holder))
      return lockedForAgent(error)
    }
    const settings = { ...engineOptions(options), hostClientId: COMMAND_LINE }
    const idleMs = options.databaseUrl === undefined ? releaseMs : Infinity
    this.#database = new EngineOnDemand({
      open: async () => await (await loadLocal()).openLocalDatabase(settings),
      idleMs,
      waitMs: 0,
    })
    this.#engine = new EngineOnDemand({
      open: async () => await (await loadLocal()).openLocalEngine({ ...settings, telemetry, isWorking: false }),
      idleMs,
      waitMs: LOCK_WAIT_MS,
    })
  }

  async forReading<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return await this.#database.use(async (engine) => await work(ownerSession(engine)))
  }

  async forSearching<T>(work: (session: Session) => Promise<T>): Promise<T> {
    try {
      return await this.#engine.use(async (engine) => await work(ownerSession(engine)))
    } catch (error) {
      throw error instanceof DataDirLockedError ? this.#locked(error) : error
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#database.close(), this.#engine.close()])
  }
}

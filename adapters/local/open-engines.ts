import { realpath } from 'node:fs/promises'
import { ClosedError, DataDirLockedError, type Engine, type Health } from '../../src/index.js'
import { VERSION } from '../node-kit/index.js'
import { checked } from './closable-members.js'
import { withClose } from './local-parts.js'
import { differences } from './options/agreeing-options.js'
import type { LocalEngineOptions } from './options/local-engine-options.js'

/** An engine that this process has open. Several callers may use it; the last `close` closes it. */
interface OpenEngine {
  /** The version of the code that opened it. Other versions read it and `isExclusive` alone. */
  readonly version: string
  readonly options: LocalEngineOptions
  readonly isExclusive: boolean
  readonly engine: Promise<Engine>
  users: number
  /** Resolves once the engine is closed; undefined while it is open. Never rejects. */
  closing?: Promise<void>
  /** Keeps the process alive for a worker. */
  keeper?: NodeJS.Timeout
}

/**
 * The open engines of this process, by their folders. They are in `globalThis`, because a development server or a bundle
 * may load this module several times.
 */
const REGISTRY = Symbol.for('alcove.open-engines')

function openEngines(): Map<string, OpenEngine[]> {
  const kept: Partial<Record<symbol, Map<string, OpenEngine[]>>> = globalThis
  return (kept[REGISTRY] ??= new Map<string, OpenEngine[]>())
}

export interface SharedOpening {
  /** True if only one engine may work on the folder. Otherwise engines with other options may be beside it. */
  readonly isExclusive: boolean
  /** True if the process stays alive for the engine, because other processes bring it work. */
  readonly keepsProcess: boolean
  readonly open: () => Promise<Engine>
}

/**
 * Opens an engine, or takes part in the one that this process has open on the folder with the same options.
 *
 * @param dataDir an existing folder
 * @throws DataDirLockedError if the folder is open with other options, or by another version of this package
 */
export async function openShared(
  options: LocalEngineOptions,
  dataDir: string,
  opening: SharedOpening,
): Promise<Engine> {
  const folder = await realpath(dataDir).catch(() => dataDir)
  for (;;) {
    const here = openEngines().get(folder) ?? []
    const found = here.find((open) => open.version === VERSION && differences(open.options, options).length === 0)
    const busy = found ?? (opening.isExclusive ? here.find(({ isExclusive }) => isExclusive) : undefined)
    if (busy?.closing !== undefined) {
      await busy.closing
    } else if (found !== undefined) {
      found.users += 1
      // If the first opening fails, this one is tried by itself and gets its own error.
      const engine = await found.engine.catch(() => undefined)
      if (engine !== undefined) return handleOf(folder, found, engine)
    } else if (busy !== undefined) {
      throw alreadyOpen(dataDir, busy, options)
    } else {
      return await openFirst(folder, options, opening)
    }
  }
}

async function openFirst(
  folder: string,
  options: LocalEngineOptions,
  { open, isExclusive, keepsProcess }: SharedOpening,
): Promise<Engine> {
  const opened: OpenEngine = { version: VERSION, options, isExclusive, engine: open(), users: 1 }
  openEngines().set(folder, [...(openEngines().get(folder) ?? []), opened])
  try {
    const engine = await opened.engine
    if (keepsProcess) keepProcess(opened)
    else closeAtEnd(folder, opened, engine)
    return handleOf(folder, opened, engine)
  } catch (error) {
    forget(folder, opened)
    throw error
  }
}

/** The engine for one caller: its `close` ends the part of this caller, with all that it has got from this engine. */
function handleOf(folder: string, opened: OpenEngine, engine: Engine): Engine {
  const stops = new Set<() => void>()
  let closing: Promise<void> | undefined
  const requireOpen = (): void => {
    if (closing !== undefined) throw new ClosedError('the engine')
  }
  const open = checked(engine, requireOpen)
  return withClose(
    engine,
    async () => {
      for (const stop of stops) stop()
      closing ??= leave(folder, opened, engine)
      await closing
    },
    {
      administration: open.administration,
      authentication: open.authentication,
      events: open.events,
      as: (principal) => checked(open.as(principal), requireOpen),
      on: (name, listener) => {
        const stop = open.on(name, listener)
        stops.add(stop)
        return () => {
          stops.delete(stop)
          stop()
        }
      },
      initialize: async (input) => await open.initialize(input),
      warmUp: async (options) => await open.warmUp(options),
      // Never rejects.
      health: async () => (closing === undefined ? await engine.health() : closedHealth(await engine.health())),
      whenCleared: async () => await open.whenCleared(),
    },
  )
}

function closedHealth({ ports }: Health): Health {
  const closed = Object.keys(ports).map((name) => [name, 'ERR_CLOSED'])
  return { status: 'unavailable', ports: Object.fromEntries(closed) as Health['ports'] }
}

async function leave(folder: string, opened: OpenEngine, engine: Engine): Promise<void> {
  opened.users -= 1
  if (opened.users <= 0) await closeShared(folder, opened, engine)
}

/** An opening in the meantime waits for the end of this, and then opens the folder again. */
async function closeShared(folder: string, opened: OpenEngine, engine: Engine): Promise<void> {
  const closed = engine.close()
  opened.closing ??= closed.catch(() => undefined).finally(() => forget(folder, opened))
  try {
    await closed
  } finally {
    await opened.closing
  }
}

function forget(folder: string, opened: OpenEngine): void {
  clearInterval(opened.keeper)
  unclosed.delete(opened)
  if (unclosed.size === 0) process.off('beforeExit', closeAll)
  const rest = (openEngines().get(folder) ?? []).filter((one) => one !== opened)
  if (rest.length === 0) openEngines().delete(folder)
  else openEngines().set(folder, rest)
}

const KEEP_MS = 60_000

function keepProcess(opened: OpenEngine): void {
  opened.keeper = setInterval(() => undefined, KEEP_MS)
}

/** Engines that this copy of the module has opened and that keep no process alive, each with the function that closes it. */
const unclosed = new Map<OpenEngine, () => Promise<void>>()

/** A program that ends without a call of `close` has nothing left to do: the engine then closes by itself. */
function closeAtEnd(folder: string, opened: OpenEngine, engine: Engine): void {
  if (unclosed.size === 0) process.on('beforeExit', closeAll)
  unclosed.set(opened, async () => await closeShared(folder, opened, engine))
}

function closeAll(): void {
  const closings = [...unclosed.values()]
  unclosed.clear()
  process.off('beforeExit', closeAll)
  for (const close of closings) void close().catch(() => undefined)
}

function alreadyOpen(dataDir: string, { version, options }: OpenEngine, wanted: LocalEngineOptions) {
  const which =
    version === VERSION
      ? `with other options (${differences(options, wanted).join(', ')})`
      : `by version ${version} of alcove, and this is ${VERSION}`
  const advice = 'close that engine first, or keep one for the process: globalThis.alcove ??= openLocalEngine({ … })'
  return new DataDirLockedError(`this process has already opened the data folder ${dataDir} ${which}: ${advice}`)
}

import pLimit, { type LimitFunction } from 'p-limit'
import type { Telemetry } from '../../src/ports/index.js'
import { addChunkKey } from './add-chunk-key.js'
import { type IndexBuilder, toError } from './index-builder.js'
import { isMissing, type LanceTables } from './lance-tables.js'
import type { OpenTable } from './open-table.js'
import { vectorIndexBuiltAt } from './table-facts.js'
import { upkeepLock } from './table-place.js'
import {
  compact,
  hasOldVersions,
  indexColumns,
  isChanged,
  isCompactionDue,
  KEEP_VERSIONS_MS,
  mergeTinyFragments,
  newUpkeepState,
  type Occasion,
  type UpkeepState,
} from './table-upkeep.js'

/** Writes after which a table is looked at. */
const WRITES_PER_LOOK = 16
/** A table that is only read is looked at so soon after it was opened. */
const FIRST_LOOK_MS = 2_000
/** A table that is not written to any more is looked at when its old versions may go. */
const QUIET_MS = KEEP_VERSIONS_MS + 1_000
/** A look when it is quiet is worth a compaction from so many old versions on. */
const QUIET_VERSIONS = 16
/** Pauses between compactions of one table: each adds a segment to a vector index. */
const PAUSE_MS = 10_000
const PAUSE_WITH_INDEX_MS = 60_000
const PAUSE_PER_WORK = 20
const PAUSE_BETWEEN_CHECKS_MS = 2_000
const FIRST_PAUSE_AFTER_ERROR_MS = 5_000
/** Deletions forestall compactions: after so many failures in a row they wait for one. */
const FAILURES_BEFORE_ALONE = 3
const LONGEST_PAUSE_AFTER_ERROR_MS = 600_000

/** Tables of which something is remembered; beyond that, what is remembered of closed ones is forgotten. */
const MOST_STATES = 512

/** A build makes another look worth while; one that fails again and again does not. */
const MOST_ROUNDS = 4

interface TableState extends UpkeepState {
  /** One at a time works on the files of a table beside its writer. */
  readonly turn: LimitFunction
  isWaiting: boolean
  seenWrites: number | undefined
  timer: NodeJS.Timeout | undefined
  nextCompaction: number
  failures: number
  error: Error | undefined
}

/** How it works. */
export interface MaintenanceOptions {
  /** Whether it works only when it is asked to {@link TableMaintenance.finish}, not of itself. */
  readonly isAsked: boolean
  /** The bytes from which on a table is compacted in a process of its own. */
  readonly apartFromBytes: number
  readonly telemetry: Telemetry | undefined
}

/**
 * Puts tables in order after writes, one at a time and outside of requests: merges fragments, keeps
 * indexes up to date, removes old versions. What fails is tried again later; nothing waits for it.
 */
export class TableMaintenance {
  readonly #tables: LanceTables
  readonly #builder: IndexBuilder
  readonly #options: MaintenanceOptions
  readonly #states = new Map<string, TableState>()
  readonly #work = pLimit(1)
  readonly #underWay = new Set<Promise<void>>()
  #isClosing = false

  constructor(tables: LanceTables, builder: IndexBuilder, options: MaintenanceOptions) {
    this.#tables = tables
    this.#builder = builder
    this.#options = options
    builder.onBuilt = (name) => {
      this.#stateOf(name).hasCopies = true
      this.#lookLater(name, QUIET_MS)
    }
  }

  /** The first error that has not been followed by success. */
  get error(): Error | undefined {
    return [...this.#states.values()].find(({ error }) => error !== undefined)?.error ?? this.#builder.error
  }

  /** To be told of every write. The first one looks for what others have left. */
  noteWrite(name: string, { writer }: OpenTable): void {
    if (this.#options.isAsked) return
    const state = this.#stateOf(name)
    if (this.#isClosing || state.isWaiting) return
    const { seenWrites } = state
    const isMuch =
      seenWrites === undefined || writer.writes < seenWrites || writer.writes - seenWrites >= WRITES_PER_LOOK
    if (isMuch) void this.#look(name, 'writes')
    else this.#lookLater(name, QUIET_MS)
  }

  /** To be told of every use. What earlier processes have left is looked for soon after the first one. */
  noteUse(name: string): void {
    if (!this.#states.has(name)) this.#lookLater(name, FIRST_LOOK_MS)
  }

  /** Works on a table, to drop it, while maintenance does not. */
  async without(name: string, work: () => Promise<void>): Promise<void> {
    await this.#stateOf(name).turn(async () => {
      await this.#builder.giveUp(name)
      await work()
    })
    clearTimeout(this.#states.get(name)?.timer)
    this.#states.delete(name)
  }

  /** Puts all open tables in order. */
  async finish(): Promise<void> {
    await keepingAlive(async () => {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        for (const name of this.#tables.openNames()) await this.#look(name, 'finish')
        if (!(await this.#builder.finish())) return
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const { timer } of this.#states.values()) clearTimeout(timer)
    await keepingAlive(async () => {
      await this.#builder.close()
      await Promise.all(this.#underWay)
    })
  }

  #stateOf(name: string): TableState {
    const known = this.#states.get(name)
    if (known !== undefined) return known
    const state: TableState = {
      ...newUpkeepState(),
      turn: pLimit(1),
      isWaiting: false,
      seenWrites: undefined,
      timer: undefined,
      nextCompaction: 0,
      failures: 0,
      error: undefined,
    }
    if (this.#states.size >= MOST_STATES) this.#forgetIdle()
    this.#states.set(name, state)
    return state
  }

  /** Forgets tables that are closed, of which nothing is to be done. */
  #forgetIdle(): void {
    const open = new Set(this.#tables.openNames())
    for (const [name, { timer, turn, error, isWaiting }] of this.#states) {
      const isIdle =
        !isWaiting && timer === undefined && error === undefined && turn.activeCount + turn.pendingCount === 0
      if (isIdle && !open.has(name)) this.#states.delete(name)
    }
  }

  #lookLater(name: string, delayMs: number): void {
    if (this.#options.isAsked || this.#isClosing) return
    const state = this.#stateOf(name)
    state.timer ??= setTimeout(() => {
      state.timer = undefined
      void this.#look(name, 'quiet')
    }, delayMs).unref()
  }

  async #look(name: string, occasion: Occasion): Promise<void> {
    const state = this.#stateOf(name)
    state.isWaiting = true
    const looking = this.#work(async () => {
      await state.turn(async () => {
        state.isWaiting = false
        if (!this.#isClosing) await this.#tryToTend(name, state, occasion)
      })
    })
    this.#underWay.add(looking)
    try {
      await looking
    } finally {
      this.#underWay.delete(looking)
    }
  }

  async #tryToTend(name: string, state: TableState, occasion: Occasion): Promise<void> {
    try {
      const tend = async (): Promise<void> => {
        await this.#tables.use(name, async (open) => {
          if (open !== undefined) await this.#tend(name, open, state, occasion)
        })
      }
      // What another process puts in order now is looked at again later.
      const { place } = this.#tables
      if (!(await place.locks.tryToHold(upkeepLock(name), tend))) this.#lookLater(name, QUIET_MS)
      await this.#tables.use(name, async (open) => {
        if (open !== undefined) await this.#builder.buildIfDue(name, open, occasion)
      })
      state.failures = 0
      state.error = undefined
    } catch (error) {
      if (isMissing(error) && (await this.#tables.isGone(name))) return
      state.error = toError(error)
      const pauseMs = Math.min(FIRST_PAUSE_AFTER_ERROR_MS * 2 ** state.failures, LONGEST_PAUSE_AFTER_ERROR_MS)
      state.failures += 1
      const fields = { collection: name, failures: state.failures }
      this.#options.telemetry?.record({ name: 'vectors.maintenance.failed', level: 'warn', fields, error })
      state.nextCompaction = performance.now() + pauseMs
      this.#lookLater(name, pauseMs)
    }
  }

  async #tend(name: string, open: OpenTable, state: TableState, occasion: Occasion): Promise<void> {
    const { table, writer } = open
    if (state.seenWrites !== writer.writes) this.#lookLater(name, QUIET_MS)
    state.seenWrites = writer.writes
    await addChunkKey(open)
    await mergeTinyFragments(open, await table.stats())
    await indexColumns(open, await table.stats())
    if (occasion === 'finish' || performance.now() >= state.nextCompaction) {
      await this.#compactIfDue(name, open, state, occasion)
    }
  }

  async #compactIfDue(name: string, open: OpenTable, state: TableState, occasion: Occasion): Promise<void> {
    // A build would forestall it, or be forestalled.
    if (this.#builder.isBuilding(name)) return
    state.nextCompaction = performance.now() + PAUSE_BETWEEN_CHECKS_MS
    const isDue =
      (await isCompactionDue(open, state)) ||
      (occasion === 'quiet' && (await hasOldVersions(open.table, state.hasCopies ? 1 : QUIET_VERSIONS))) ||
      (occasion === 'finish' && ((await isChanged(open, state)) || (await hasOldVersions(open.table, 1))))
    if (!isDue) return
    await compact(open, state, {
      ...this.#options,
      place: this.#tables.place,
      isAlone: state.failures >= FAILURES_BEFORE_ALONE,
    })
    if (state.hasCopies) this.#lookLater(name, QUIET_MS)
    const pauseMs = (await vectorIndexBuiltAt(open.table)) === undefined ? PAUSE_MS : PAUSE_WITH_INDEX_MS
    state.nextCompaction = performance.now() + Math.max(pauseMs, state.settleMs * PAUSE_PER_WORK)
  }
}

/** Processes of tables, and timers, keep no host alive; who waits for them wants them done. */
async function keepingAlive(work: () => Promise<void>): Promise<void> {
  const alive = setInterval(() => undefined, 1_000)
  try {
    await work()
  } finally {
    clearInterval(alive)
  }
}

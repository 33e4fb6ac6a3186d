import pLimit, { type LimitFunction } from 'p-limit'
import type { Telemetry } from '../../../src/ports/index.js'
import { isTableUnavailable, type LanceTables } from '../lance-tables.js'
import type { OpenTable } from '../open-table.js'
import { maintenanceLock } from '../table-place.js'
import { readIndexBuildTime } from '../table-schema.js'
import { type IndexBuilder, toError } from './index-builder.js'
import {
  compact,
  hasDeletions,
  hasOldVersions,
  indexColumns,
  isChanged,
  isCompactionDue,
  KEEP_VERSIONS_MS,
  mergeTinyFragments,
  newTableState,
  type Occasion,
  rewriteIfSmall,
  type TableState,
} from './maintenance-steps.js'

/** Writes after which maintenance inspects a table. */
const WRITES_PER_INSPECTION = 16
/** Maintenance inspects a table that is only read this long after it was opened. */
const FIRST_INSPECTION_MS = 2_000
/** Maintenance inspects a table without further writes when its old versions may be removed. */
const QUIET_MS = KEEP_VERSIONS_MS + 1_000
/** A quiet inspection compacts a table with at least this many old versions. */
const QUIET_VERSIONS = 16
/** Pauses between compactions of one table: each compaction adds a segment to a vector index. */
const PAUSE_MS = 10_000
const PAUSE_WITH_INDEX_MS = 60_000
const PAUSE_PER_WORK = 20
const PAUSE_BETWEEN_CHECKS_MS = 2_000
const FIRST_PAUSE_AFTER_ERROR_MS = 5_000
/** Deletions make a compaction fail. After this many failures in a row, they wait until it is done. */
const FAILURES_BEFORE_BLOCKING = 3
const MAX_PAUSE_AFTER_ERROR_MS = 600_000

/** Tables whose state is kept. Beyond this number, the state of closed tables is discarded. */
const MAX_STATES = 512

/** A build makes another inspection worthwhile. The limit ends a series of builds that fail. */
const MAX_ROUNDS = 4

interface MaintenanceState extends TableState {
  /** Only one task at a time works on the files of a table beside its writer. */
  readonly turn: LimitFunction
  isQueued: boolean
  inspectedWrites: number | undefined
  timer: NodeJS.Timeout | undefined
  nextCompaction: number
  failures: number
  error: Error | undefined
}

/** The options of maintenance. */
interface MaintenanceOptions {
  /** True if maintenance runs only in {@link TableMaintenance.finish}, and never by itself. */
  readonly isManual: boolean
  /** A table of at least this many bytes is compacted in a separate process. */
  readonly separateFromBytes: number
  readonly telemetry: Telemetry | undefined
}

/**
 * Maintains tables after writes, one at a time and outside of requests: merges fragments, updates indexes, removes old
 * versions. Failed work is retried later; nothing waits for it.
 */
export class TableMaintenance {
  readonly #states = new Map<string, MaintenanceState>()
  readonly #queue = pLimit(1)
  readonly #running = new Set<Promise<void>>()
  #isClosing = false

  constructor(
    private readonly tables: LanceTables,
    private readonly builder: IndexBuilder,
    private readonly options: MaintenanceOptions,
  ) {
    builder.onBuilt = (name) => {
      this.#stateOf(name).hasOldCopies = true
      this.#inspectLater(name, QUIET_MS)
    }
  }

  /** The first error that no success has followed. */
  get error(): Error | undefined {
    return [...this.#states.values()].find(({ error }) => error !== undefined)?.error ?? this.builder.error
  }

  /**
   * Receives the report of each write. After the first one, maintenance checks for work that earlier processes left.
   */
  noteWrite(name: string, { writer }: OpenTable): void {
    if (this.options.isManual) return
    const state = this.#stateOf(name)
    if (this.#isClosing || state.isQueued) return
    const { inspectedWrites } = state
    const isDue =
      inspectedWrites === undefined ||
      writer.writes < inspectedWrites ||
      writer.writes - inspectedWrites >= WRITES_PER_INSPECTION
    if (isDue) void this.#inspect(name, 'writes')
    else this.#inspectLater(name, QUIET_MS)
  }

  /**
   * Receives the report of each use. Soon after the first one, maintenance checks for work that earlier processes left.
   */
  noteUse(name: string): void {
    if (!this.#states.has(name)) this.#inspectLater(name, FIRST_INSPECTION_MS)
  }

  /** Runs work, such as a drop, while no maintenance of the table runs. */
  async runExclusively(name: string, work: () => Promise<void>): Promise<void> {
    await this.#stateOf(name).turn(async () => {
      await this.builder.abortBuild(name)
      await work()
    })
    clearTimeout(this.#states.get(name)?.timer)
    this.#states.delete(name)
  }

  /** Maintains all open tables, and waits until nothing is left to do. */
  async finish(): Promise<void> {
    await keepProcessAlive(async () => {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        for (const name of this.tables.openNames()) await this.#inspect(name, 'finish')
        if (!(await this.builder.finish())) return
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const { timer } of this.#states.values()) clearTimeout(timer)
    await keepProcessAlive(async () => {
      await this.builder.close()
      await Promise.all(this.#running)
    })
  }

  #stateOf(name: string): MaintenanceState {
    const known = this.#states.get(name)
    if (known !== undefined) return known
    const state: MaintenanceState = {
      ...newTableState(),
      turn: pLimit(1),
      isQueued: false,
      inspectedWrites: undefined,
      timer: undefined,
      nextCompaction: 0,
      failures: 0,
      error: undefined,
    }
    if (this.#states.size >= MAX_STATES) this.#discardIdleStates()
    this.#states.set(name, state)
    return state
  }

  /** Discards the state of closed tables that have no work left. */
  #discardIdleStates(): void {
    const open = new Set(this.tables.openNames())
    for (const [name, { timer, turn, error, isQueued }] of this.#states) {
      const isIdle =
        !isQueued && timer === undefined && error === undefined && turn.activeCount + turn.pendingCount === 0
      if (isIdle && !open.has(name)) this.#states.delete(name)
    }
  }

  #inspectLater(name: string, delayMs: number): void {
    if (this.options.isManual || this.#isClosing) return
    const state = this.#stateOf(name)
    state.timer ??= setTimeout(() => {
      state.timer = undefined
      void this.#inspect(name, 'quiet')
    }, delayMs).unref()
  }

  async #inspect(name: string, occasion: Occasion): Promise<void> {
    const state = this.#stateOf(name)
    state.isQueued = true
    const inspection = this.#queue(async () => {
      await state.turn(async () => {
        state.isQueued = false
        if (!this.#isClosing) await this.#tryToMaintain(name, state, occasion)
      })
    })
    this.#running.add(inspection)
    try {
      await inspection
    } finally {
      this.#running.delete(inspection)
    }
  }

  async #tryToMaintain(name: string, state: MaintenanceState, occasion: Occasion): Promise<void> {
    try {
      const maintain = async (): Promise<void> => {
        await this.tables.use(name, async (open) => {
          if (open !== undefined) await this.#maintain(name, open, state, occasion)
        })
      }
      // If another process maintains the table now, this one inspects it later.
      const { place } = this.tables
      if (!(await place.locks.tryToHold(maintenanceLock(name), maintain))) this.#inspectLater(name, QUIET_MS)
      await this.tables.use(name, async (open) => {
        if (open !== undefined) await this.builder.buildIfDue(name, open, occasion)
      })
      this.tables.noteWrite(name)
      state.failures = 0
      state.error = undefined
    } catch (error) {
      if (isTableUnavailable(error) && (await this.tables.isDropped(name))) return
      state.error = toError(error)
      const pauseMs = Math.min(FIRST_PAUSE_AFTER_ERROR_MS * 2 ** state.failures, MAX_PAUSE_AFTER_ERROR_MS)
      state.failures += 1
      const fields = { collection: name, failures: state.failures }
      this.options.telemetry?.record({ name: 'vectors.maintenance.failed', level: 'warn', fields, error })
      state.nextCompaction = performance.now() + pauseMs
      this.#inspectLater(name, pauseMs)
    }
  }

  async #maintain(name: string, open: OpenTable, state: MaintenanceState, occasion: Occasion): Promise<void> {
    const { table, writer } = open
    if (state.inspectedWrites !== writer.writes) this.#inspectLater(name, QUIET_MS)
    state.inspectedWrites = writer.writes
    await mergeTinyFragments(open, await table.stats())
    await indexColumns(open, await table.stats())
    if (occasion !== 'writes') await this.#removeDeletedRows(name, open, state)
    if (occasion === 'finish' || performance.now() >= state.nextCompaction) {
      await this.#compactIfDue(name, open, state, occasion)
    }
  }

  /** Old versions go first: without them, each file of deletions belongs to rows that are still on the disk. */
  async #removeDeletedRows(name: string, open: OpenTable, state: MaintenanceState): Promise<void> {
    if (!(await hasDeletions(open.table, this.tables.place))) return
    state.hasOldCopies ||= (await open.table.listVersions()).length > 1 || (await rewriteIfSmall(open))
    if (state.hasOldCopies) this.#inspectLater(name, QUIET_MS)
  }

  async #compactIfDue(name: string, open: OpenTable, state: MaintenanceState, occasion: Occasion): Promise<void> {
    // A build and a compaction would make each other fail.
    if (this.builder.isBuilding(name)) return
    state.nextCompaction = performance.now() + PAUSE_BETWEEN_CHECKS_MS
    const isDue =
      (await isCompactionDue(open, state)) ||
      (occasion === 'quiet' && (await hasOldVersions(open.table, state.hasOldCopies ? 1 : QUIET_VERSIONS))) ||
      (occasion === 'finish' && ((await isChanged(open, state)) || (await hasOldVersions(open.table, 1))))
    if (!isDue) return
    await compact(open, state, {
      ...this.options,
      place: this.tables.place,
      blocksWriters: state.failures >= FAILURES_BEFORE_BLOCKING,
    })
    if (state.hasOldCopies) this.#inspectLater(name, QUIET_MS)
    const pauseMs = (await readIndexBuildTime(open.table)) === undefined ? PAUSE_MS : PAUSE_WITH_INDEX_MS
    state.nextCompaction = performance.now() + Math.max(pauseMs, state.settleMs * PAUSE_PER_WORK)
  }
}

/**
 * Keeps the host's process alive during the work: child processes and timers do not, but the caller waits for the
 * result.
 */
async function keepProcessAlive(work: () => Promise<void>): Promise<void> {
  const alive = setInterval(() => undefined, 1_000)
  try {
    await work()
  } finally {
    clearInterval(alive)
  }
}

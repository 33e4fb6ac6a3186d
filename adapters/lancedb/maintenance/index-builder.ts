import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Telemetry } from '../../../src/ports/index.js'
import { asError } from '../../../src/ports/index.js'
import { isTableUnavailable, type LanceTables } from '../lance-tables.js'
import type { OpenTable } from '../open-table.js'
import type { SearchPlan } from '../search-plan.js'
import { dropLock, maintenanceLock } from '../table-place.js'
import { runInProcess } from '../table-process.js'
import { readDimensions, readVectorIndex, VECTOR_INDEX } from '../table-schema.js'
import { findKeepFrom, type Occasion } from './maintenance-steps.js'

/**
 * A table that has grown by this factor since its index was built gets a new index: while writes continue, and after
 * they stop.
 */
const GROWTH = 1.5
const GROWTH_WHEN_QUIET = 1.1
/** A table whose index was useless gets no new index before it has grown by this factor. */
const GROWTH_IF_USELESS = 2
/** An index with more segments is built again. Each compaction adds a segment, and each search reads all segments. */
const MAX_SEGMENTS = 12
/** The index accepts only dimensions that are a multiple of this. */
const DIMENSIONS_STEP = 8
/** The pause after a build, as a multiple of its duration. */
const PAUSE_PER_WORK = 5
const PAUSE_AFTER_ERROR_MS = 60_000
/** Tables whose pause is known. Each takes about 100 bytes. */
const MAX_PAUSES = 10_000
/**
 * The interval at which a build checks for a process that waits to drop the table. The drop waits that long, and for
 * the step in progress.
 */
const DROP_CHECK_MS = 2_000

/** The options of index builds. */
interface IndexBuilderOptions {
  readonly indexFromRows: number
  readonly telemetry: Telemetry | undefined
}

type BuildTask = 'build' | 'measure'

interface Build {
  readonly name: string
  readonly controller: AbortController
  isRunning: boolean
  readonly done: Promise<void>
}

/**
 * Builds vector indexes for tables that profit from one, one at a time. A table is scanned until its index is built and
 * measured.
 */
export class IndexBuilder {
  readonly #queue = pLimit(1)
  readonly #builds = new Map<string, Build>()
  /**
   * The time from which on a table may get another index, by `performance.now()`. A lost entry is harmless: the table
   * gets its next index without a pause, if it has grown enough.
   */
  readonly #nextBuildAt = new LRUCache<string, number>({ max: MAX_PAUSES })
  /** Called when a table has a new index. */
  onBuilt: (name: string) => void = () => undefined
  #error: Error | undefined
  #isClosed = false

  constructor(
    private readonly tables: LanceTables,
    private readonly options: IndexBuilderOptions,
  ) {}

  /** The error of the last build; `undefined` if it succeeded. */
  get error(): Error | undefined {
    return this.#error
  }

  isBuilding(name: string): boolean {
    return this.#builds.has(name)
  }

  /** Starts a build if one is due, and does not wait for it. */
  async buildIfDue(name: string, open: OpenTable, occasion: Occasion): Promise<void> {
    if (this.#isClosed || this.#builds.has(name)) return
    if (performance.now() >= (this.#nextBuildAt.get(name) ?? 0)) this.#nextBuildAt.delete(name)
    else if (occasion !== 'finish') return
    const growth = occasion === 'writes' ? GROWTH : GROWTH_WHEN_QUIET
    const task = await this.#findDueTask(open, growth)
    if (task === undefined) return
    const controller = new AbortController()
    const build: Build = {
      name,
      controller,
      isRunning: false,
      done: this.#queue(async () => {
        build.isRunning = true
        await this.#tryToBuild(build, task, growth)
        this.#builds.delete(name)
      }),
    }
    this.#builds.set(name, build)
  }

  /** Aborts the build of a table's index. */
  async abortBuild(name: string): Promise<void> {
    const build = this.#builds.get(name)
    build?.controller.abort()
    if (build?.isRunning) await build.done
    this.#nextBuildAt.delete(name)
  }

  /** Waits for the builds in progress. @returns true if there were any */
  async finish(): Promise<boolean> {
    const builds = [...this.#builds.values()]
    await Promise.all(builds.map(({ done }) => done))
    return builds.length > 0
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { controller } of this.#builds.values()) controller.abort()
    await this.finish()
  }

  async #findDueTask({ table, plan }: OpenTable, growth: number): Promise<BuildTask | undefined> {
    const rows = await table.countRows()
    const uselessRows = plan?.probes.length === 0 ? plan.rows : 0
    if (rows < Math.max(uselessRows * GROWTH_IF_USELESS, this.options.indexFromRows)) return undefined
    if ((await readDimensions(table)) % DIMENSIONS_STEP !== 0) return undefined
    const index = await readVectorIndex(table)
    if (index === undefined) return 'build'
    if (index.builtAt !== plan?.builtAt) return 'measure'
    if (rows >= plan.rows * growth || index.segments > MAX_SEGMENTS) return 'build'
    return plan.isCarriedOver ? 'measure' : undefined
  }

  async #tryToBuild({ name, controller }: Build, task: BuildTask, growth: number): Promise<void> {
    const startedAt = performance.now()
    try {
      const work = async (): Promise<void> => {
        const stop = this.#abortWhenDropped(name, controller)
        await this.#build(name, { task, growth }, controller.signal).finally(stop)
      }
      const { place } = this.tables
      await place.locks.tryToHold(maintenanceLock(name), work)
      this.#error = undefined
      this.#nextBuildAt.set(name, performance.now() + (performance.now() - startedAt) * PAUSE_PER_WORK)
    } catch (error) {
      // This process or another one has dropped the table.
      if (isTableUnavailable(error) && (controller.signal.aborted || (await this.tables.isDropped(name)))) return
      this.#error = toError(error)
      const fields = { collection: name }
      this.options.telemetry?.record({ name: 'vectors.index.failed', level: 'warn', fields, error })
      this.#nextBuildAt.set(name, performance.now() + PAUSE_AFTER_ERROR_MS)
    }
  }

  /** Aborts the build as soon as another process waits to drop the table. @returns a function that stops the checks */
  #abortWhenDropped(name: string, controller: AbortController): () => void {
    const { isShared, locks } = this.tables.place
    if (!isShared) return () => undefined
    const checkForDrop = async (): Promise<void> => {
      const isFree = await locks.tryToHold(dropLock(name), () => Promise.resolve())
      if (!isFree) controller.abort()
    }
    let checking: Promise<void> | undefined
    const timer = setInterval(() => {
      checking ??= checkForDrop()
        .catch(() => undefined)
        .finally(() => (checking = undefined))
    }, DROP_CHECK_MS)
    return () => clearInterval(timer)
  }

  async #build(
    name: string,
    { task, growth }: { readonly task: BuildTask; readonly growth: number },
    signal: AbortSignal,
  ): Promise<void> {
    await this.tables.use(name, async (open) => {
      if (open === undefined || (await this.#isDoneElsewhere(open, task, growth))) return
      const keepFromMs = (await findKeepFrom(open.table)).getTime()
      const plan = await runInProcess({ task, place: this.tables.place, table: name, keepFromMs }, signal)
      if (plan === undefined) return
      await this.#useNewIndex(open, plan)
      this.onBuilt(name)
    })
  }

  /** True if another process has done the task in the meantime. */
  async #isDoneElsewhere(open: OpenTable, task: BuildTask, growth: number): Promise<boolean> {
    if (!this.tables.place.isShared) return false
    await open.reloadPlan({ isForced: true })
    return (await this.#findDueTask(open, growth)) !== task
  }

  /** Lets searches use the new index. */
  async #useNewIndex(open: OpenTable, plan: SearchPlan): Promise<void> {
    const { table, writer } = open
    await writer.exclusively(async () => {
      await table.checkoutLatest()
      if (plan.probes.length === 0) await table.dropIndex(VECTOR_INDEX)
    })
    await open.savePlan(plan)
    open.isWarm = false
  }
}

export function toError(error: unknown): Error {
  return asError(error)
}

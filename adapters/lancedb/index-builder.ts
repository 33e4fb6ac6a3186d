import pLimit from 'p-limit'
import type { Telemetry } from '../../src/ports/index.js'
import { isMissing, type LanceTables } from './lance-tables.js'
import type { OpenTable } from './open-table.js'
import type { SearchPlan } from './search-plan.js'
import { dimensionsOf, VECTOR_INDEX, vectorIndexOf } from './table-facts.js'
import { dropLock, upkeepLock } from './table-place.js'
import { workApart } from './table-process.js'
import { keepFrom, type Occasion } from './table-upkeep.js'

/** A table that has grown so much since its index was built gets a new one: while it is written to, and when it is not. */
const GROWTH = 1.5
const GROWTH_WHEN_QUIET = 1.1
/** One that no index finds its rows in is not tried again before. */
const GROWTH_IF_USELESS = 2
/** Each compaction adds a segment, and each search looks into all of them. */
const MAX_SEGMENTS = 12
/** The index takes vectors of such dimensions only. */
const DIMENSIONS_STEP = 8
/** Pause after a build, as a multiple of the time that it took. */
const PAUSE_PER_WORK = 5
const PAUSE_AFTER_ERROR_MS = 60_000
/** A deletion that waits for a build waits so long, and for the end of what the build has begun. */
const LOOK_FOR_DROPS_MS = 2_000

/** Which tables get an index. */
export interface IndexBuilderOptions {
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

/** Builds vector indexes where they pay, one at a time. Until one is built and measured, its table is scanned. */
export class IndexBuilder {
  readonly #tables: LanceTables
  readonly #options: IndexBuilderOptions
  readonly #work = pLimit(1)
  readonly #builds = new Map<string, Build>()
  /** When a table may get another one. */
  readonly #next = new Map<string, number>()
  /** Called when the table of that name has a new index. */
  onBuilt: (name: string) => void = () => undefined
  #error: Error | undefined
  #isClosed = false

  constructor(tables: LanceTables, options: IndexBuilderOptions) {
    this.#tables = tables
    this.#options = options
  }

  /** Why the last build failed; `undefined` if it did not. */
  get error(): Error | undefined {
    return this.#error
  }

  isBuilding(name: string): boolean {
    return this.#builds.has(name)
  }

  /** Begins a build where one is due, and does not wait for it. */
  async buildIfDue(name: string, open: OpenTable, occasion: Occasion): Promise<void> {
    if (this.#isClosed || this.#builds.has(name)) return
    if (performance.now() >= (this.#next.get(name) ?? 0)) this.#next.delete(name)
    else if (occasion !== 'finish') return
    const growth = occasion === 'writes' ? GROWTH : GROWTH_WHEN_QUIET
    const task = await this.#due(open, growth)
    if (task === undefined) return
    const controller = new AbortController()
    const build: Build = {
      name,
      controller,
      isRunning: false,
      done: this.#work(async () => {
        build.isRunning = true
        await this.#tryToBuild(build, task, growth)
        this.#builds.delete(name)
      }),
    }
    this.#builds.set(name, build)
  }

  /** Ends the build of a table's index. */
  async giveUp(name: string): Promise<void> {
    const build = this.#builds.get(name)
    build?.controller.abort()
    if (build?.isRunning) await build.done
    this.#next.delete(name)
  }

  /** Waits for the builds that have begun; whether there were any. */
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

  async #due({ table, plan }: OpenTable, growth: number): Promise<BuildTask | undefined> {
    const rows = await table.countRows()
    const uselessRows = plan?.probes.length === 0 ? plan.rows : 0
    if (rows < Math.max(uselessRows * GROWTH_IF_USELESS, this.#options.indexFromRows)) return undefined
    if ((await dimensionsOf(table)) % DIMENSIONS_STEP !== 0) return undefined
    const index = await vectorIndexOf(table)
    if (index === undefined) return 'build'
    if (index.builtAt !== plan?.builtAt) return 'measure'
    if (rows >= plan.rows * growth || index.segments > MAX_SEGMENTS) return 'build'
    return plan.isCarriedOver ? 'measure' : undefined
  }

  async #tryToBuild({ name, controller }: Build, task: BuildTask, growth: number): Promise<void> {
    const began = performance.now()
    try {
      const work = async (): Promise<void> => {
        const stop = this.#endWhenDropped(name, controller)
        await this.#build(name, { task, growth }, controller.signal).finally(stop)
      }
      const { place } = this.#tables
      await place.locks.tryToHold(upkeepLock(name), work)
      this.#error = undefined
      this.#next.set(name, performance.now() + (performance.now() - began) * PAUSE_PER_WORK)
    } catch (error) {
      // It was dropped: here, or by another process.
      if (isMissing(error) && (controller.signal.aborted || (await this.#tables.isGone(name)))) return
      this.#error = toError(error)
      const fields = { collection: name }
      this.#options.telemetry?.record({ name: 'vectors.index.failed', level: 'warn', fields, error })
      this.#next.set(name, performance.now() + PAUSE_AFTER_ERROR_MS)
    }
  }

  /** Looks whether another process waits to drop the table. @returns what ends that */
  #endWhenDropped(name: string, controller: AbortController): () => void {
    const { isShared, locks } = this.#tables.place
    if (!isShared) return () => undefined
    const look = async (): Promise<void> => {
      const isFree = await locks.tryToHold(dropLock(name), () => Promise.resolve())
      if (!isFree) controller.abort()
    }
    let looking: Promise<void> | undefined
    const timer = setInterval(() => {
      looking ??= look()
        .catch(() => undefined)
        .finally(() => (looking = undefined))
    }, LOOK_FOR_DROPS_MS)
    return () => clearInterval(timer)
  }

  async #build(
    name: string,
    { task, growth }: { readonly task: BuildTask; readonly growth: number },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#tables.use(name, async (open) => {
      if (open === undefined || (await this.#isDone(open, task, growth))) return
      const keepFromMs = (await keepFrom(open.table)).getTime()
      const plan = await workApart({ task, place: this.#tables.place, table: name, keepFromMs }, signal)
      if (plan === undefined) return
      await this.#adopt(open, plan)
      this.onBuilt(name)
    })
  }

  /** Whether another process has done it meanwhile. */
  async #isDone(open: OpenTable, task: BuildTask, growth: number): Promise<boolean> {
    if (!this.#tables.place.isShared) return false
    await open.takeUpPlan({ isAtOnce: true })
    return (await this.#due(open, growth)) !== task
  }

  /** Searches by the new index from now on. */
  async #adopt(open: OpenTable, plan: SearchPlan): Promise<void> {
    const { table, writer } = open
    await writer.alone(async () => {
      await table.checkoutLatest()
      if (plan.probes.length === 0) await table.dropIndex(VECTOR_INDEX)
    })
    await open.adopt(plan)
    open.isWarm = false
  }
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

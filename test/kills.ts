import { type LocalEngineOptions, openLocalEngine, requireLocalDatabase } from '../dist/adapters/local/index.js'
import { isLeftover, NotInitializedError, type VerifyReport } from '../dist/src/index.js'

export interface KillsOptions {
  /** Number of kills of all processes together, after which they live until they are stopped. Default: no limit. */
  readonly most?: number | undefined
  /** Looks at the stored data after a kill. Gives the findings that the next start does not mend. */
  readonly examine: () => Promise<readonly string[]>
}

/** The kills of one soak, which its processes share. The data is examined after each. */
export class Kills {
  /** The kills after which the data was examined. */
  made = 0
  readonly problems: string[] = []
  #examinedMs = 0
  readonly #most: number
  readonly #examine: KillsOptions['examine']
  #taken = 0
  #examining: Promise<unknown> = Promise.resolve()

  constructor({ most = Number.POSITIVE_INFINITY, examine }: KillsOptions) {
    this.#most = most
    this.#examine = examine
  }

  /** True once no process is killed any more: all kills are made, or one of them left a problem. */
  get areMade(): boolean {
    return this.made >= this.#most || this.problems.length > 0
  }

  /** Seconds that the examinations took. */
  get examinedSeconds(): number {
    return Math.round(this.#examinedMs / 1_000)
  }

  /** Reserves a kill. False if there are none left. */
  take(): boolean {
    if (this.#taken >= this.#most || this.problems.length > 0) return false
    this.#taken += 1
    return true
  }

  /** Examines the data. Examinations take turns, as those of an operator would. */
  async killed(): Promise<void> {
    const examined = this.#examining.then(async () => await this.#timed())
    this.#examining = examined.catch(() => undefined)
    try {
      const found = await examined
      this.problems.push(...found.map((problem) => `after kill ${this.made + 1}: ${problem}`))
    } catch (error) {
      this.problems.push(`after kill ${this.made + 1} the doctor failed: ${String(error)}`)
    }
    this.made += 1
  }

  async #timed(): Promise<readonly string[]> {
    const began = performance.now()
    try {
      return await this.#examine()
    } finally {
      this.#examinedMs += performance.now() - began
    }
  }
}

/** Examines a data folder as `alcove doctor` does: it changes nothing there, and no sweep comes before it. */
export async function examineFolder(options: LocalEngineOptions): Promise<string[]> {
  try {
    await requireLocalDatabase(options.dataDir, options.databaseUrl)
  } catch (error) {
    // The process died before it had made its database.
    if (error instanceof NotInitializedError) return []
    throw error
  }
  const engine = await openLocalEngine({ ...options, isWorking: false })
  try {
    return lastingProblems(await engine.administration.verify())
  } finally {
    await engine.close()
  }
}

/** The findings that stay after the next start of an engine. */
export function lastingProblems({ problems }: VerifyReport): string[] {
  return problems.filter((problem) => !isLeftover(problem)).map(({ code, message }) => `${code}: ${message}`)
}

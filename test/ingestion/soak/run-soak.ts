import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeviceEmbeddingModel } from '../../../dist/adapters/device/index.js'
import { bundledModel } from '../../bundled-model.js'
import { forkProgram } from '../../child-program.js'
import { examineFolder, Kills } from '../../kills.js'
import { pick, seededRandom } from '../../seeded-random.js'
import { QuickModel } from '../quick-model.js'
import { inspect, placesIn } from './soak-inspection.js'
import { SoakLedger } from './soak-ledger.js'
import { type ChildMessage, type ChildOrder, HOOKS } from './soak-protocol.js'

export interface SoakOptions {
  /** The least number of kills of the working process. */
  readonly kills: number
  /**
   * The least count of acknowledged calls, inspected documents and found chunks. The soak continues until then, for at
   * most four times the kills. Default: 0.
   */
  readonly leastEvidence?: number
  /** The number of kills after which the engine finishes all work, and the soak inspects the folder. */
  readonly killsPerInspection: number
  readonly hasRealModel: boolean
  readonly seed: number
  readonly progress?: (line: string) => void
}

export interface SoakReport {
  readonly seed: number
  readonly seconds: number
  readonly kills: number
  readonly doctorSeconds: number
  /** Kills by the phase of the process, or by the hook at which it killed itself. */
  readonly killsByPhase: Readonly<Record<string, number>>
  readonly acknowledgedCalls: number
  /** Refused calls, by code: other calls delete contexts and documents at the same time. */
  readonly refusals: Readonly<Record<string, number>>
  /** Sums of the resumed and removed items of the sweeps. */
  readonly swept: Readonly<Record<string, number>>
  /** The number of the engine's other reports, by name. */
  readonly telemetry: Readonly<Record<string, number>>
  readonly inspections: number
  readonly documentsInspected: number
  readonly chunksSearched: number
  /** Violations of the guarantees; empty if the soak passes. */
  readonly problems: readonly string[]
}

/** Callers receive these codes for contexts and documents that other calls have deleted in the meantime. */
const EXPECTED_REFUSALS: readonly string[] = ['ERR_CONTEXT_NOT_FOUND', 'ERR_DOCUMENT_NOT_FOUND']

const LIFE_MS = [100, 4_000] as const
/** The share of rounds in which the kill comes before the engine has opened. */
const STILLBORN = 0.08
const SETTLE_MS = 180_000

/** Lets processes act on one folder, kills them, and inspects the folder. The doctor looks at it after each kill. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-soak-'))
  const soak = new Soak(dataDir, options)
  try {
    return await soak.run()
  } finally {
    await soak.end()
    await rm(dataDir, { recursive: true, force: true })
  }
}

class Soak {
  readonly #dataDir: string
  readonly #options: SoakOptions
  readonly #random: () => number
  readonly #ledger = new SoakLedger()
  readonly #kills: Kills
  readonly #killsByPhase = new Map<string, number>()
  readonly #swept = new Map<string, number>()
  readonly #telemetry = new Map<string, number>()
  readonly #problems: string[] = []
  #phase = ''
  #documents = 0
  #searched = 0
  #inspections = 0
  #child: ChildProcess | undefined

  constructor(dataDir: string, options: SoakOptions) {
    this.#dataDir = dataDir
    this.#options = options
    this.#random = seededRandom(options.seed)
    this.#kills = new Kills({ examine: async () => await this.#examine() })
  }

  async run(): Promise<SoakReport> {
    const { kills, killsPerInspection, leastEvidence = 0, seed, progress } = this.#options
    const began = performance.now()
    const isEnough = (): boolean =>
      Math.min(this.#ledger.acknowledged, this.#documents, this.#searched) >= leastEvidence
    for (let kill = 1, last = kills; kill <= last && this.#problems.length === 0; kill += 1) {
      await this.#act()
      if (kill % killsPerInspection === 0 || kill === last) await this.#settle()
      // A slow machine does little in one life of the process.
      if (kill === last && !isEnough() && last < kills * 4) last += killsPerInspection
      progress?.(`${kill} kills, ${this.#ledger.acknowledged} calls, ${this.#documents} documents looked at`)
    }
    const unexpected = [...this.#ledger.codes.keys()].filter((code) => !EXPECTED_REFUSALS.includes(code))
    this.#problems.push(...unexpected.map((code) => `a call was refused with ${code}`))
    return {
      seed,
      seconds: Math.round((performance.now() - began) / 1_000),
      kills: this.#kills.made,
      doctorSeconds: this.#kills.examinedSeconds,
      killsByPhase: sorted(this.#killsByPhase),
      acknowledgedCalls: this.#ledger.acknowledged,
      refusals: sorted(this.#ledger.codes),
      swept: sorted(this.#swept),
      telemetry: sorted(this.#telemetry),
      inspections: this.#inspections,
      documentsInspected: this.#documents,
      chunksSearched: this.#searched,
      problems: this.#problems.slice(0, 20),
    }
  }

  async end(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await Promise.resolve()
  }

  /** One life of the process: it ends at a hook, or at a random time. */
  async #act(): Promise<void> {
    const dice = this.#random()
    const hook = dice < 0.5 ? { at: pick(this.#random, HOOKS), time: 1 + Math.floor(this.#random() * 4) } : undefined
    const child = await this.#start('act', hook)
    const ended = once(child, 'exit')
    const isStillborn = dice > 1 - STILLBORN
    if (!isStillborn) await Promise.race([once(child, 'message'), ended])
    const [least, most] = LIFE_MS
    await Promise.race([ended, wait(least + (most - least) * this.#random())])
    child.kill('SIGKILL')
    this.#expectKilled(await ended)
    this.#ledger.killed()
    count(this.#killsByPhase, this.#phase)
    await this.#kills.killed()
    this.#problems.push(...this.#kills.problems)
  }

  async #examine(): Promise<string[]> {
    const quick = await QuickModel.open({ dimensions: 64 })
    const models = this.#options.hasRealModel ? [quick, await DeviceEmbeddingModel.open(bundledModel)] : [quick]
    return await examineFolder({ dataDir: this.#dataDir, embeddingModels: models })
  }

  /** Starts another process, which finishes all work. The inspection follows when no process uses the folder. */
  async #settle(): Promise<void> {
    const child = await this.#start('settle', undefined)
    const ended = once(child, 'exit')
    const settled = new Promise<Extract<ChildMessage, { type: 'settled' }>>((resolve) => {
      child.on('message', (message: ChildMessage) => {
        if (message.type === 'settled') resolve(message)
      })
    })
    const result = await Promise.race([settled, ended.then(() => undefined), wait(SETTLE_MS)])
    child.kill('SIGKILL')
    if (!this.#expectKilled(await ended)) return
    if (result === undefined) this.#problems.push('the process did not come to an end of its work')
    else this.#problems.push(...result.problems)
    this.#searched += result?.searched ?? 0
    this.#problems.push(...(await inspect(placesIn(this.#dataDir), this.#ledger)))
    this.#inspections += 1
    this.#documents += [...this.#ledger.documents.values()].filter(({ state }) => state === 'live').length
  }

  /** A native library that crashes ends the process by a signal as well. */
  #expectKilled([code, signal]: unknown[]): boolean {
    if (signal === 'SIGKILL') return true
    this.#problems.push(`the process ended by itself with ${String(signal ?? code)}`)
    return false
  }

  async #start(task: ChildOrder['task'], hook: ChildOrder['hook']): Promise<ChildProcess> {
    const { hasRealModel } = this.#options
    const seed = Math.floor(this.#random() * 1e9)
    const order: ChildOrder = { dataDir: this.#dataDir, seed, task, hasRealModel, ...(hook && { hook }) }
    const script = join(import.meta.dirname, 'soak-child.ts')
    const child = await forkProgram(script, [JSON.stringify(order)])
    this.#child = child
    this.#phase = 'start'
    child.on('message', (message: ChildMessage) => this.#hear(message))
    return child
  }

  #hear(message: ChildMessage): void {
    if (message.type === 'begin') this.#ledger.begin(message.id, message.call)
    else if (message.type === 'end') this.#ledger.end(message.id, message.outcome)
    else if (message.type === 'ready') this.#phase = 'idle'
    else if (message.type === 'phase') this.#phase = message.phase
    else if (message.type === 'hook') this.#phase = `at ${message.hook}`
    else if (message.type === 'ghost') this.#problems.push(message.problem)
    else if (message.type === 'telemetry') this.#note(message.name, message.fields)
  }

  #note(name: string, fields: Readonly<Record<string, unknown>>): void {
    if (name === 'ingestion.swept') {
      for (const [field, value] of Object.entries(fields)) count(this.#swept, field, Number(value))
    } else {
      count(this.#telemetry, 'error' in fields ? `${name}: ${String(fields['error'])}` : name)
    }
  }
}

function count(counts: Map<string, number>, name: string, by: number = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

function sorted(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one))
}

async function wait(ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return undefined
}

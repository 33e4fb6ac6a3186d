import type { VerifyReport } from '../doctor/index.js'
import type { ModelState } from '../documents/index.js'
import { DELIVER_EVENT } from '../outbox/index.js'
import type { JobStates, Measure, Measurement } from '../ports/index.js'
import type { EngineRole } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'
import { cached, SIZES_MS } from './measure-engine.js'

/** The queue of one kind of job. The numbers are those of all processes on the database. */
export interface EngineQueue extends JobStates {
  /** Age of the job that has waited longest for a worker, in seconds; 0 without such a job. */
  readonly oldestWaitingSeconds: number
  /** Jobs that this process runs. */
  readonly runningHere: number
}

/** A part of the stored data. */
export interface DiskPart {
  readonly part: 'database' | 'files' | 'vectors' | 'words'
  /** Null if unknown. */
  readonly usedBytes: number | null
  /** Free bytes of the disk with this part; null if unknown, and for a part on a server. */
  readonly freeBytes: number | null
}

/** An embedding model, and whether it can be used now. */
export interface EngineModel extends ModelState {
  /** False while a model that runs elsewhere is away. */
  readonly isAvailable: boolean
}

/** A verification that runs in this process. */
export interface RunningVerification {
  /** ISO 8601. */
  readonly started: string
  /** Documents that are checked. */
  readonly documents: number
}

/** The state of an engine, for those who operate it. It has no secrets, and no names of folders. */
export interface EngineState {
  /** Time at which this engine was opened, ISO 8601. */
  readonly started: string
  readonly uptimeSeconds: number
  /** The work that this process does; empty for an engine without workers. */
  readonly roles: readonly EngineRole[]
  /** Empty for an engine without workers. */
  readonly queues: readonly EngineQueue[]
  /** Deliveries that are neither done nor given up. */
  readonly pendingDeliveries: number
  /** `kept` if the mails stay where the operator finds them, such as in a folder; `sent` if they go out. */
  readonly mails: 'sent' | 'kept'
  /** Sizes are measured once a minute at most. */
  readonly disk: readonly DiskPart[]
  /** Collections of the indexes: one for each context and generation. Null if unknown. */
  readonly collections: { readonly vectors: number | null; readonly words: number | null }
  /** Rows by table, of tables that grow. PostgreSQL estimates them; SQLite counts at most 1,000,000. */
  readonly rows: Readonly<Record<string, number>>
  /** The default of new contexts first. */
  readonly models: readonly EngineModel[]
  /** As `administration.startCheck()`, without names; null until the check is finished, and in an engine that does not run it. */
  readonly startCheck: VerifyReport | null
  /** Null if none runs. */
  readonly verification: RunningVerification | null
}

/** The parts of the state that are read from the ports. */
type MeasuredState = Pick<EngineState, 'queues' | 'pendingDeliveries' | 'disk' | 'collections' | 'rows' | 'models'>

type UsedBytes = Readonly<Partial<Record<DiskPart['part'], number | undefined>>>

/** Creates the function that reads the measured parts of the state. A part that cannot be measured is null. */
export function createStateReader(parts: EngineParts, measure: Measure): () => Promise<MeasuredState> {
  const measureUsed = cached(SIZES_MS, async () => await readUsedBytes(parts))
  return async () => {
    const [measurements, used] = await Promise.all([measure(), measureUsed()])
    const measured = new Measured(measurements)
    const queues = await readQueues(parts, measured)
    const ofDeliveries = queues.find(({ kind }) => kind === DELIVER_EVENT)
    return {
      queues,
      pendingDeliveries: ofDeliveries === undefined ? 0 : sumOf(ofDeliveries),
      disk: diskOf(measured, used),
      collections: {
        vectors: measured.find('alcove.index.collections', 'vectors') ?? null,
        words: measured.find('alcove.index.collections', 'words') ?? null,
      },
      rows: Object.fromEntries(measured.labelled('alcove.table.rows')),
      models: parts.embeddingModels.states.map((model): EngineModel => {
        return { ...model, isAvailable: measured.find('alcove.model.available', model.id) !== 0 }
      }),
    }
  }
}

function sumOf({ waiting, running, delayed }: JobStates): number {
  return waiting + running + delayed
}

async function readQueues({ storage }: EngineParts, measured: Measured): Promise<readonly EngineQueue[]> {
  const runningHere = new Map(measured.labelled('alcove.queue.running_jobs'))
  const states = await storage.read(async ({ jobs }) => await jobs.countStates([...runningHere.keys()]))
  return states.map((state): EngineQueue => {
    const oldestWaitingSeconds = measured.find('alcove.queue.age_seconds', state.kind) ?? 0
    return { ...state, oldestWaitingSeconds, runningHere: runningHere.get(state.kind) ?? 0 }
  })
}

function diskOf(measured: Measured, used: UsedBytes): readonly DiskPart[] {
  const databaseBytes = measured.find('alcove.database.size_bytes')
  const parts = ['database', 'files', 'vectors', 'words'] as const
  return parts.map((part): DiskPart => {
    const usedBytes = (part === 'database' ? databaseBytes : used[part]) ?? null
    return { part, usedBytes, freeBytes: measured.find('alcove.disk.free_bytes', part) ?? null }
  })
}

async function readUsedBytes({ fileStore, vectorIndex, lexicalIndex }: EngineParts): Promise<UsedBytes> {
  const places = { files: fileStore, vectors: vectorIndex, words: lexicalIndex }
  const reading = Object.entries(places).map(async ([part, place]): Promise<[string, number | undefined]> => {
    return [part, await place.usedBytes?.().catch(() => undefined)]
  })
  return Object.fromEntries(await Promise.all(reading))
}

/** Measurements by name and label. No gauge has more than one label. */
class Measured {
  constructor(private readonly measurements: readonly Measurement[]) {}

  /** @param label default: the gauge has no label */
  find(name: Measurement['name'], label?: string): number | undefined {
    return this.measurements.find((measurement) => measurement.name === name && labelOf(measurement) === label)?.value
  }

  /** The values of a gauge, by label. */
  labelled(name: Measurement['name']): readonly (readonly [string, number])[] {
    return this.measurements.flatMap((measurement) => {
      const label = labelOf(measurement)
      return measurement.name === name && label !== undefined ? [[label, measurement.value] as const] : []
    })
  }
}

function labelOf({ labels }: Measurement): string | undefined {
  const [label] = Object.values(labels)
  return label === undefined ? undefined : String(label)
}

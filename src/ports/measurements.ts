import type { TraceValues } from './tracing.js'

/** The meaning of a gauge. */
export interface GaugeDescription {
  readonly description: string
  /** Unit in the notation of UCUM, as OpenTelemetry writes it. */
  readonly unit: string
  readonly labels: readonly string[]
}

/** The name of a gauge. */
export type GaugeName =
  | 'alcove.queue.jobs'
  | 'alcove.queue.due_jobs'
  | 'alcove.queue.age_seconds'
  | 'alcove.queue.running_jobs'
  | 'alcove.model.available'
  | 'alcove.index.collections'
  | 'alcove.table.rows'
  | 'alcove.database.size_bytes'
  | 'alcove.disk.free_bytes'

/** All gauges of the engine. */
export const GAUGES: Readonly<Record<GaugeName, GaugeDescription>> = {
  'alcove.queue.jobs': {
    description: 'Jobs that are not done: due, running, or due later. At most 100,000 are counted',
    unit: '{job}',
    labels: ['alcove.job.kind'],
  },
  'alcove.queue.due_jobs': {
    description: 'Jobs that are due and wait for a worker. At most 100,000 are counted',
    unit: '{job}',
    labels: ['alcove.job.kind'],
  },
  'alcove.queue.age_seconds': {
    description: 'Time since the job that has waited longest for a worker became due; 0 without such a job',
    unit: 's',
    labels: ['alcove.job.kind'],
  },
  'alcove.queue.running_jobs': {
    description: 'Jobs that this process runs',
    unit: '{job}',
    labels: ['alcove.job.kind'],
  },
  'alcove.model.available': {
    description: '1 if the model can be used; 0 while a model that runs elsewhere is away',
    unit: '1',
    labels: ['alcove.model.id'],
  },
  'alcove.index.collections': {
    description: 'Collections of an index: one for each context and generation',
    unit: '{collection}',
    labels: ['alcove.index'],
  },
  'alcove.table.rows': {
    description: 'Rows of a table. PostgreSQL estimates them; SQLite counts at most 1,000,000',
    unit: '{row}',
    labels: ['alcove.table'],
  },
  'alcove.database.size_bytes': {
    description: 'Size of the SQLite file, or of the tables of the engine in PostgreSQL',
    unit: 'By',
    labels: [],
  },
  'alcove.disk.free_bytes': {
    description: 'Free bytes of the disk with the vectors or the files; none for those on a server',
    unit: 'By',
    labels: ['alcove.disk.place'],
  },
}

/** The value of a gauge at one time. */
export interface Measurement {
  readonly name: GaugeName
  readonly value: number
  readonly labels: TraceValues
}

/** Measures the present state of an engine. Never rejects: it leaves out what it cannot measure. */
export type Measure = () => Promise<readonly Measurement[]>

import type { Measure, Measurement } from '../ports/index.js'
import type { EngineParts } from './engine-parts.js'

/** Sizes change slowly, and cost more to measure than queues. They are measured at most once in this time. */
export const SIZES_MS = 60_000

/** The jobs of an engine: how many run, for each kind that it knows. */
type RunningJobs = () => ReadonlyMap<string, number>

/**
 * Creates the function that measures an engine: its queues at each call, its sizes once a minute. Calls at the same time
 * share one measuring.
 */
export function createMeasure(parts: EngineParts, runningJobs: RunningJobs): Measure {
  const sizes = cached(SIZES_MS, async () => {
    const [database, places] = await Promise.all([measureDatabase(parts), measurePlaces(parts)])
    return [...database, ...places]
  })
  let present: ReturnType<Measure> | undefined
  return async () => {
    present ??= measureAll([measureQueues(parts, runningJobs), measureModels(parts), sizes()]).finally(() => {
      present = undefined
    })
    return await present
  }
}

/** Leaves out parts that fail: the database may be away, and the other values still count. */
async function measureAll(parts: readonly Promise<readonly Measurement[]>[]): Promise<readonly Measurement[]> {
  const settled = await Promise.allSettled(parts)
  return settled.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
}

async function measureQueues({ storage }: EngineParts, runningJobs: RunningJobs): Promise<readonly Measurement[]> {
  const running = [...runningJobs()]
  const states = await storage.read(({ jobs }) => jobs.measure(running.map(([kind]) => kind)))
  const ofThisProcess = running.map(([kind, value]): Measurement => {
    return { name: 'alcove.queue.running_jobs', value, labels: { 'alcove.job.kind': kind } }
  })
  const ofAll = states.flatMap(({ kind, jobs, due, oldestMs }): Measurement[] => {
    const labels = { 'alcove.job.kind': kind }
    return [
      { name: 'alcove.queue.jobs', value: jobs, labels },
      { name: 'alcove.queue.due_jobs', value: due, labels },
      { name: 'alcove.queue.age_seconds', value: oldestMs / 1_000, labels },
    ]
  })
  return [...ofAll, ...ofThisProcess]
}

async function measureModels({ embeddingModels }: EngineParts): Promise<readonly Measurement[]> {
  const available = await embeddingModels.available()
  return [...available].map(([id, isAvailable]) => {
    return { name: 'alcove.model.available', value: isAvailable ? 1 : 0, labels: { 'alcove.model.id': id } }
  })
}

async function measureDatabase({ storage }: EngineParts): Promise<readonly Measurement[]> {
  const size = await storage.measure?.().catch(() => undefined)
  if (size === undefined) return []
  const rows = Object.entries(size.rows).map(([table, value]): Measurement => {
    return { name: 'alcove.table.rows', value, labels: { 'alcove.table': table } }
  })
  return size.sizeBytes === undefined
    ? rows
    : [...rows, { name: 'alcove.database.size_bytes', value: size.sizeBytes, labels: {} }]
}

async function measurePlaces({ vectorIndex, lexicalIndex, fileStore }: EngineParts): Promise<readonly Measurement[]> {
  const collections = Object.entries({ vectors: vectorIndex, words: lexicalIndex }).map(
    async ([name, index]): Promise<Measurement[]> => {
      const names = await index.listCollections().catch(() => undefined)
      if (names === undefined) return []
      return [{ name: 'alcove.index.collections', value: names.length, labels: { 'alcove.index': name } }]
    },
  )
  const freeBytes = Object.entries({ vectors: vectorIndex, files: fileStore }).map(
    async ([place, disk]): Promise<Measurement[]> => {
      const value = await disk.freeBytes?.().catch(() => undefined)
      if (value === undefined) return []
      return [{ name: 'alcove.disk.free_bytes', value, labels: { 'alcove.disk.place': place } }]
    },
  )
  // Together: on a silent network, each waits until its time is over.
  return (await Promise.all([...collections, ...freeBytes])).flat()
}

/** Calls work at most once in a time. Its last result answers in between. */
export function cached<T>(forMs: number, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly result: Promise<T>; readonly endsAt: number } | undefined
  return async () => {
    if (last === undefined || performance.now() >= last.endsAt) {
      last = { result: work(), endsAt: performance.now() + forMs }
      last.result.catch(() => {
        last = undefined
      })
    }
    return await last.result
  }
}

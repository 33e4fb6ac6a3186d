import type { Repositories, Storage, Tracer } from '../ports/index.js'

/**
 * Stores with each new job and delivery the span in which it was made, so that a later span continues that trace, also
 * in another process. Without a tracer, the engine uses the storage itself.
 */
export function traceStorage(storage: Storage, tracer: Tracer): Storage {
  return withMembers(storage, {
    transaction: async (work, options) => await storage.transaction(inTrace(work, tracer), options),
    join: async (transaction, work, ended) => await storage.join(transaction, inTrace(work, tracer), ended),
  })
}

type Work<T> = (repositories: Repositories) => Promise<T>

/** Reads the span of the caller at once: a storage may run the work after that of other callers. */
function inTrace<T>(work: Work<T>, tracer: Tracer): Work<T> {
  const traceparent = tracer.traceparent()
  if (traceparent === undefined) return work
  return async (repositories) => await work(traceRepositories(repositories, traceparent))
}

function traceRepositories(repositories: Repositories, traceparent: string): Repositories {
  const { jobs, deliveries } = repositories
  return {
    ...repositories,
    jobs: withMembers(jobs, {
      enqueue: async (job, options) => await jobs.enqueue({ traceparent, ...job }, options),
      enqueueAll: async (all, options) =>
        await jobs.enqueueAll(
          all.map((job) => ({ traceparent, ...job })),
          options,
        ),
    }),
    deliveries: withMembers(deliveries, {
      fanOut: async (event, options) => await deliveries.fanOut({ ...event, traceparent }, options),
      insert: async (delivery) => await deliveries.insert({ ...delivery, traceparent }),
    }),
  }
}

/** An object with some members of its own. All others are those of the target, which may be a class with private state. */
function withMembers<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_target, name) => {
      const own: unknown = Reflect.get(members, name)
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

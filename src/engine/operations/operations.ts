import type { ListPage, ListQuery, RowList, Run } from '../../kernel/lists.js'
import type { EngineInspection } from '../engine-inspection.js'

/** Notifies the workers about new or cancelled work. */
export interface WorkSignals {
  documentUploaded(): void
  /** A document may have got another name. */
  documentRenamed(): void
  /** @param versionIds ids of the deleted versions of documents */
  versionsDeleted(versionIds: readonly number[]): void
  /** A re-index may have started, or ended. */
  settingsChanged(): void
  /** There are new jobs that purge deleted data. */
  purgeQueued(): void
  deliveriesQueued(): void
  deliveriesCancelled(ids: readonly number[]): void
}

/** The functions of the engine that its sessions call. */
export interface EngineSignals {
  /** Undefined in an engine that does no work in the background. */
  readonly workers: WorkSignals | undefined
  /** For those who manage {@link rootCompanyId}. */
  readonly inspection: EngineInspection
  readonly rootCompanyId: number
  /** Runs a piece of work in a turn of the session's principal. */
  readonly run: Run
  /**
   * Runs work with a signal that is aborted when the caller aborts or the engine closes. The engine waits for the work.
   */
  runUntilClosed<T>(callerSignal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** Options of a call that can be aborted. */
export interface Cancellable {
  /** Aborts the call, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal
}

/** The three ways to read a list: as an array, as an iterable, and page by page. */
interface ListOperations<Scope extends readonly unknown[], Item> {
  list(...args: [...Scope, query?: ListQuery]): Promise<Item[]>
  entries(...args: [...Scope, query?: ListQuery]): AsyncIterable<Item>
  page(...args: [...Scope, query: ListQuery]): Promise<ListPage<Item>>
}

/**
 * @param rowsOf returns the list for the arguments before the query; `rowsOf.length` is their number
 * @param run runs each read of a list
 */
export function createListOperations<Scope extends readonly [number?], Item extends { readonly id: number }>(
  rowsOf: (...scope: Scope) => RowList<Item>,
  run: Run,
): ListOperations<Scope, Item> {
  const parse = (args: readonly unknown[]): [RowList<Item>, ListQuery | undefined] => {
    const rows = rowsOf(...(args.slice(0, rowsOf.length) as unknown as Scope))
    return [rows.through(run), args[rowsOf.length] as ListQuery | undefined]
  }
  return {
    list: async (...args) => {
      const [rows, query] = parse(args)
      return await rows.list(query)
    },
    entries: (...args) => {
      const [rows, query] = parse(args)
      return rows.entries(query)
    },
    page: async (...args) => {
      const [rows, query] = parse(args)
      return await rows.page(query ?? {})
    },
  }
}

/** Runs work at once. The host's own calls take no turns. */
export const AT_ONCE: Run = async (work) => await work()

type Method = (...args: readonly unknown[]) => Promise<unknown>

/**
 * Wraps operations, so that each call runs in a turn of its caller.
 * @param others operations that do not run in one turn: they read lists part by part, wait for bytes, or wait for work
 */
export function inTurns<Operations extends object>(
  operations: Operations,
  run: Run,
  others: readonly (keyof Operations & string)[] = [],
): Operations {
  const wrapped = { ...operations } as Record<string, unknown>
  for (const [name, method] of Object.entries<unknown>(wrapped)) {
    if (typeof method !== 'function' || (others as readonly string[]).includes(name)) continue
    wrapped[name] = async (...args: readonly unknown[]) => await run(async () => await (method as Method)(...args))
  }
  return wrapped as Operations
}

/** The operations that {@link createListOperations} makes. */
export const LISTS = ['list', 'entries', 'page'] as const

/** Reads each item of an iterable in a turn. */
export async function* itemsInTurns<Item>(items: AsyncIterable<Item>, run: Run): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await run(async () => await iterator.next())
      if (step.done === true) return
      yield step.value
    }
  } finally {
    await iterator.return?.()
  }
}

import type { ListPage, ListQuery, RowList } from '../../kernel/lists.js'
import type { EngineInspection } from '../engine-inspection.js'

/** Notifies the workers about new or cancelled work. */
export interface WorkSignals {
  documentUploaded(): void
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
export interface EngineSignals extends WorkSignals {
  /** For those who manage {@link rootCompanyId}. */
  readonly inspection: EngineInspection
  readonly rootCompanyId: number
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

/** @param rowsOf returns the list for the arguments before the query; `rowsOf.length` is their number */
export function createListOperations<Scope extends readonly [number?], Item extends { readonly id: number }>(
  rowsOf: (...scope: Scope) => RowList<Item>,
): ListOperations<Scope, Item> {
  const parse = (args: readonly unknown[]): [RowList<Item>, ListQuery | undefined] => {
    return [rowsOf(...(args.slice(0, rowsOf.length) as unknown as Scope)), args[rowsOf.length] as ListQuery | undefined]
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

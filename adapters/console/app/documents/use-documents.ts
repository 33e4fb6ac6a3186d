import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { type AlcoveClient, type DocumentState, dataOf, useApi } from '../api/api.js'
import { isRefusal } from '../api/refusals.js'
import { useStore } from '../ui/store.js'
import { isFinal, type Listed, type Progress, progressOf, type Stage } from './document.js'
import { type Filters, queryOf } from './list/filters.js'
import { useContextWork } from './work/context-work.js'
import { pollMs } from './work/document-watch.js'

interface Page {
  /** The newest first. */
  readonly documents: readonly Listed[]
  /** The id behind which the next page begins; undefined on the last page. */
  readonly next: number | undefined
}

const PAGE_DOCUMENTS = 1_000
/** Ids that fit into the address of one request. */
const IDS_PER_REQUEST = 200
const COLLECT_MS = 300

/** The documents of a context that pass the filters, and what happens to them. */
export interface Documents {
  /** The newest first. */
  readonly documents: readonly Listed[]
  readonly states: ReadonlyMap<number, DocumentState>
  /** True until the whole list is read. */
  readonly isReading: boolean
  /** True while the documents are those of the filters before. */
  readonly isOld: boolean
  readonly error: Error | null
  readonly readAgain: () => void
  /** Puts changed documents into the list. */
  readonly change: (changed: readonly Listed[], removed?: readonly number[]) => void
}

/** Reads the documents page by page, the newest first, and then each document that changes. */
export function useDocuments(contextId: number, { name, state }: Filters): Documents {
  const api = useApi()
  const queries = useQueryClient()
  const { watch } = useContextWork(contextId)
  const watched = useStore(watch.watched)
  const { byId, isLive, connections } = watched
  const filters = useMemo(() => queryOf({ name, state }), [name, state])
  const queryKey = useMemo(() => ['documents', contextId, filters], [contextId, filters])
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const query = { ...filters, order: 'newest', limit: PAGE_DOCUMENTS, after: pageParam } as const
      const params = { path: { contextId }, query }
      const documents = await dataOf(api.GET('/context/documents/{contextId}', { params, signal }))
      return { documents, next: documents.length === PAGE_DOCUMENTS ? documents.at(-1)?.id : undefined }
    },
    getNextPageParam: ({ next }) => next,
    // The list stays while the next one is read.
    placeholderData: keepPreviousData,
  })
  const { data, hasNextPage, isFetching, isPlaceholderData, error, fetchNextPage, refetch } = list
  const documents = useMemo(() => data?.pages.flatMap((page) => page.documents) ?? [], [data])

  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])

  // After a lost connection, anything may have happened.
  const seenConnections = useRef(connections)
  useEffect(() => {
    if (connections > 1 && connections !== seenConnections.current) void queries.invalidateQueries({ queryKey })
    seenConnections.current = connections
  }, [connections, queries, queryKey])

  const change = useMemo(
    () =>
      (changed: readonly Listed[], removed: readonly number[] = []): void => {
        queries.setQueryData<InfiniteData<Page, number>>(
          queryKey,
          (before) => before && changedData(before, changed, removed),
        )
      },
    [queries, queryKey],
  )

  // States come fast, so several of them share one request for their documents.
  const latest = useRef({ documents, byId })
  const checked = useRef(new Map<number, string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reading = useRef<AbortSignal>(undefined)
  const isRead = data !== undefined && !hasNextPage && !isFetching && !isPlaceholderData
  useEffect(() => {
    latest.current = { documents, byId }
    if (!isRead) checked.current.clear()
    else
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        const { changed, deleted } = outdated(latest.current, checked.current, filters.status)
        if (deleted.length > 0) change([], deleted)
        if (changed.length === 0) return
        const read = readByIds(api, contextId, { ids: changed, filters }, reading.current)
        void read.then(
          (found) => change(found, missing(changed, found)),
          () => undefined,
        )
      }, COLLECT_MS)
  }, [api, contextId, filters, documents, byId, watched, isRead, change])
  useEffect(() => {
    const ended = new AbortController()
    checked.current.clear()
    reading.current = ended.signal
    return () => {
      ended.abort(new Error('the list is gone, or has other filters'))
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [filters])

  // Without the stream, the page asks for what can have changed.
  useEffect(() => {
    if (isLive || hasNextPage || data === undefined || isPlaceholderData || isRefusal(error)) return
    const ended = new AbortController()
    const { signal } = ended
    const readChanges = async (): Promise<void> => {
      // Any document may pass the filters by now.
      if (Object.keys(filters).length > 0) {
        await queries.invalidateQueries({ queryKey })
        return
      }
      const ids = documents.filter((document) => isUnfinished(document)).map(({ id }) => id)
      const params = { path: { contextId }, query: { after: documents[0]?.id ?? 0, limit: PAGE_DOCUMENTS } }
      const added = dataOf(api.GET('/context/documents/{contextId}', { params, signal }))
      const [changed, fresh] = await Promise.all([readByIds(api, contextId, { ids, filters }, signal), added])
      change([...changed, ...fresh], missing(ids, changed))
    }
    // After a change of the list the pauses are short again.
    const poll = async (): Promise<void> => {
      for (let polls = 0; ; polls += 1) {
        await new Promise((resolve) => setTimeout(resolve, pollMs(polls)))
        if (signal.aborted) return
        try {
          await readChanges()
        } catch (failure) {
          if (!isRefusal(failure)) continue
          // The list then says why.
          void queries.invalidateQueries({ queryKey })
          return
        }
      }
    }
    void poll()
    return () => ended.abort(new Error('the list has changed'))
  }, [
    api,
    contextId,
    filters,
    data,
    documents,
    isLive,
    hasNextPage,
    isPlaceholderData,
    error,
    change,
    queries,
    queryKey,
  ])

  return {
    documents,
    states: byId,
    isReading: data === undefined || hasNextPage || isPlaceholderData,
    isOld: isPlaceholderData,
    error,
    readAgain: () => void refetch(),
    change,
  }
}

function isUnfinished({ completed, error, replacement }: Listed): boolean {
  return (completed === null && error === null) || (replacement !== null && replacement.error === null)
}

/**
 * The ids of documents that the list shows as they were before their states.
 * @param checked states for which the documents were read; it grows
 * @param statuses the filter by state
 */
function outdated(
  { documents, byId }: { readonly documents: readonly Listed[]; readonly byId: ReadonlyMap<number, DocumentState> },
  checked: Map<number, string>,
  statuses?: string,
): { readonly changed: readonly number[]; readonly deleted: readonly number[] } {
  const listed = new Map(documents.map((document) => [document.id, document]))
  const found = [...byId.values()].filter((state) => {
    const { id, uuid, status, isReplacement, displayName } = state
    const key = `${uuid} ${status} ${isReplacement} ${displayName}`
    const document = listed.get(id)
    if (checked.get(id) === key || !isOld(document, state)) return false
    // The filter hides it in this state too.
    if (document === undefined && statuses?.includes(status) === false) return false
    checked.set(id, key)
    return true
  })
  const ids = (isDeleted: boolean): readonly number[] =>
    found.filter(({ status }) => (status === 'deleted') === isDeleted).map(({ id }) => id)
  return { changed: ids(false), deleted: ids(true) }
}

function isOld(document: Listed | undefined, state: DocumentState): boolean {
  if (document === undefined) return state.status !== 'deleted'
  const { replacement, displayName, uuid } = document
  if (state.status === 'deleted' || state.displayName !== displayName) return true
  if (state.isReplacement)
    return replacement?.uuid !== state.uuid || (replacement.error === null) === (state.status === 'failed')
  if (replacement !== null || state.uuid !== uuid) return true
  return finalStage(progressOf(document, undefined)) !== finalStage(progressOf(document, state))
}

function finalStage(progress: Progress): Stage | undefined {
  return isFinal(progress) ? progress.stage : undefined
}

/** Reads those of some documents that pass the filters. */
async function readByIds(
  api: AlcoveClient,
  contextId: number,
  { ids, filters }: { readonly ids: readonly number[]; readonly filters: ReturnType<typeof queryOf> },
  signal: AbortSignal | undefined,
): Promise<readonly Listed[]> {
  const found: Listed[] = []
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const filter = JSON.stringify({ documents: ids.slice(at, at + IDS_PER_REQUEST) })
    const params = { path: { contextId }, query: { ...filters, filter } }
    found.push(...(await dataOf(api.GET('/context/documents/{contextId}', { params, ...(signal && { signal }) }))))
  }
  return found
}

function changedData(
  { pages, pageParams }: InfiniteData<Page, number>,
  changed: readonly Listed[],
  removed: readonly number[],
): InfiniteData<Page, number> {
  const gone = new Set(removed)
  const byId = new Map(changed.map((document) => [document.id, document]))
  const known = new Set(pages.flatMap(({ documents }) => documents.map(({ id }) => id)))
  const added = changed.filter(({ id }) => !known.has(id))
  let before = Infinity
  const changedPages = pages.map(({ documents, next }) => {
    // A page that is still to come has the rest.
    const [from, upTo] = [next ?? 0, before]
    before = from
    const kept = documents.filter(({ id }) => !gone.has(id)).map((document) => byId.get(document.id) ?? document)
    const fresh = added.filter(({ id }) => id >= from && id < upTo)
    return { documents: fresh.length === 0 ? kept : [...kept, ...fresh].sort((one, other) => other.id - one.id), next }
  })
  return { pages: changedPages, pageParams }
}

/** The ids of documents that were asked for and not found: they are deleted, or pass the filters no more. */
function missing(ids: readonly number[], found: readonly Listed[]): readonly number[] {
  const present = new Set(found.map(({ id }) => id))
  return ids.filter((id) => !present.has(id))
}

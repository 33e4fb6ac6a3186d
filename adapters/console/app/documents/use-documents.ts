import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { type AlcoveClient, type DocumentState, dataOf, useApi } from '../api/api.js'
import { isRefusal } from '../api/is-refusal.js'
import { isFinal, type Listed, type Progress, progressOf, type Stage } from './document.js'
import { useContextWork } from './work/context-work.js'
import { pollMs } from './work/polling.js'
import { useStore } from './work/store.js'

interface Page {
  readonly documents: readonly Listed[]
  readonly hasNext: boolean
}

const PAGE_DOCUMENTS = 1_000
/** Ids that fit into the address of one request. */
const IDS_PER_REQUEST = 200
const COLLECT_MS = 300

/** All documents of a context, and what happens to them. */
export interface Documents {
  /** The newest first. */
  readonly documents: readonly Listed[]
  readonly states: ReadonlyMap<number, DocumentState>
  /** True until the whole list is read. */
  readonly isReading: boolean
  readonly error: Error | null
  readonly readAgain: () => void
  /** Puts changed documents into the list. */
  readonly change: (changed: readonly Listed[], removed?: readonly number[]) => void
}

/** Reads all documents page by page, and then each document that changes. */
export function useDocuments(contextId: number): Documents {
  const api = useApi()
  const queries = useQueryClient()
  const { watch } = useContextWork(contextId)
  const watched = useStore(watch.watched)
  const { byId, isLive, connections } = watched
  const queryKey = useMemo(() => ['documents', contextId], [contextId])
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const query = { limit: PAGE_DOCUMENTS, after: pageParam }
      const params = { path: { contextId }, query }
      const documents = await dataOf(api.GET('/context/documents/{contextId}', { params, signal }))
      return { documents, hasNext: documents.length === PAGE_DOCUMENTS }
    },
    getNextPageParam: ({ documents, hasNext }) => (hasNext ? documents.at(-1)?.id : undefined),
  })
  const { data, hasNextPage, isFetching, error, fetchNextPage, refetch } = list
  const documents = useMemo(() => (data?.pages.flatMap((page) => page.documents) ?? []).reverse(), [data])

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
  const isRead = data !== undefined && !hasNextPage && !isFetching
  useEffect(() => {
    latest.current = { documents, byId }
    if (!isRead) checked.current.clear()
    else
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        const { changed, deleted } = outdated(latest.current, checked.current)
        if (deleted.length > 0) change([], deleted)
        if (changed.length > 0) void readByIds(api, contextId, changed, reading.current).then(change, () => undefined)
      }, COLLECT_MS)
  }, [api, contextId, documents, byId, watched, isRead, change])
  useEffect(() => {
    const ended = new AbortController()
    reading.current = ended.signal
    return () => {
      ended.abort(new Error('the list is gone'))
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [])

  // Without the stream, the page asks for what can have changed.
  useEffect(() => {
    if (isLive || hasNextPage || data === undefined || isRefusal(error)) return
    const ended = new AbortController()
    const { signal } = ended
    const readChanges = async (): Promise<void> => {
      const ids = documents.filter((document) => isUnfinished(document)).map(({ id }) => id)
      const params = { path: { contextId }, query: { after: documents[0]?.id ?? 0, limit: PAGE_DOCUMENTS } }
      const added = dataOf(api.GET('/context/documents/{contextId}', { params, signal }))
      const [changed, fresh] = await Promise.all([readByIds(api, contextId, ids, signal), added])
      change([...changed, ...fresh])
    }
    // A change of the list begins anew, with short pauses.
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
  }, [api, contextId, data, documents, isLive, hasNextPage, error, change, queries, queryKey])

  return {
    documents,
    states: byId,
    isReading: data === undefined || hasNextPage,
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
 */
function outdated(
  { documents, byId }: { readonly documents: readonly Listed[]; readonly byId: ReadonlyMap<number, DocumentState> },
  checked: Map<number, string>,
): { readonly changed: readonly number[]; readonly deleted: readonly number[] } {
  const listed = new Map(documents.map((document) => [document.id, document]))
  const found = [...byId.values()].filter((state) => {
    const { id, uuid, status, isReplacement, displayName } = state
    const key = `${uuid} ${status} ${isReplacement} ${displayName}`
    if (checked.get(id) === key || !isOld(listed.get(id), state)) return false
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

async function readByIds(
  api: AlcoveClient,
  contextId: number,
  ids: readonly number[],
  signal: AbortSignal | undefined,
): Promise<readonly Listed[]> {
  const found: Listed[] = []
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const filter = JSON.stringify({ documents: ids.slice(at, at + IDS_PER_REQUEST) })
    const params = { path: { contextId }, query: { filter } }
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
  const added = changed.filter(({ id }) => !known.has(id)).sort((first, second) => first.id - second.id)
  const changedPages = pages.map(({ documents, hasNext }, index) => ({
    documents: [
      ...documents.filter(({ id }) => !gone.has(id)).map((document) => byId.get(document.id) ?? document),
      // A page that is still to come has them.
      ...(index === pages.length - 1 && !hasNext ? added : []),
    ],
    hasNext,
  }))
  return { pages: changedPages, pageParams }
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef } from 'react'
import { useApi } from '../../api/api.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ErrorNote, Loaded } from '../../ui/notes.js'
import type { Detailed } from '../document.js'
import { ChunkItem } from './chunk-item.js'
import { type ChunkLink, PAGE_CHUNKS, readChunks } from './chunk-place.js'
import { CHUNK_TEXTS } from './chunk-texts.js'

interface ChunksProps {
  readonly contextId: number
  readonly document: Detailed
  readonly total: number
  /** Ordinal of the chunk at which the text begins. */
  readonly start: number
  readonly link: ChunkLink
  /** True if the user wants to see this chunk, and not only the page. */
  readonly isWanted: boolean
}

/** Chunks around one of them. More come when the user asks for them: a document may have many thousands. */
export function Chunks({ contextId, document, total, start, link, isWanted }: ChunksProps): ReactElement {
  const api = useApi()
  const texts = useTexts(CHUNK_TEXTS)
  const { id: docId, uuid } = document
  const begin = Math.max(0, start - 1)
  const query = useInfiniteQuery({
    queryKey: ['chunks', contextId, docId, uuid, begin],
    initialPageParam: { first: begin, limit: PAGE_CHUNKS },
    queryFn: async ({ pageParam, signal }) => await readChunks(api, { contextId, docId }, pageParam, signal),
    getNextPageParam: (chunks) => {
      const first = (chunks.at(-1)?.ordinal ?? total) + 1
      return first < total ? { first, limit: PAGE_CHUNKS } : undefined
    },
    getPreviousPageParam: (chunks) => {
      const before = chunks[0]?.ordinal ?? 0
      const first = Math.max(0, before - PAGE_CHUNKS)
      return before > 0 ? { first, limit: before - first } : undefined
    },
    // Another version has another UUID.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const wanted = useRef<HTMLElement>(null)
  const isLoaded = query.data !== undefined
  useEffect(() => {
    if (!isLoaded || !isWanted) return
    wanted.current?.focus({ preventScroll: true })
    wanted.current?.scrollIntoView({ block: 'start' })
  }, [isLoaded, isWanted])
  const { from, to } = link
  const marked = from === undefined || to === undefined ? undefined : { from, to }
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const chunks = pages.flat()
        return (
          <>
            {query.hasPreviousPage && (
              <Button isPending={query.isFetchingPreviousPage} onPress={() => void query.fetchPreviousPage()}>
                {texts.earlier}
              </Button>
            )}
            {chunks.map((chunk, index) => (
              <ChunkItem
                key={chunk.id}
                ref={chunk.ordinal === start ? wanted : undefined}
                chunk={chunk}
                previous={chunks[index - 1]}
                next={chunks[index + 1]}
                marked={marked}
                href={`/gpts/${contextId}/documents/${docId}?chunk=${chunk.id}`}
                isLinked={chunk.id === link.chunkId}
              />
            ))}
            <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
            {query.hasNextPage && (
              <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
                {texts.later}
              </Button>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

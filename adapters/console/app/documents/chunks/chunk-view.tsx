import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { useApi } from '../../api/api.js'
import { useErrorText } from '../../api/error-texts.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { NumberField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote, Loaded, Note } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import type { Detailed, Receipt } from '../document.js'
import { readText, saveFile } from '../original.js'
import { ChunkItem } from './chunk-item.js'
import { type ChunkLink, findChunk, linkIn, PAGE_CHUNKS, readChunks } from './chunk-place.js'
import { CHUNK_TEXTS } from './chunk-texts.js'

interface ChunkViewProps {
  readonly contextId: number
  readonly document: Detailed
  readonly receipt: Receipt
}

/** The text of a document with its chunks. It begins where the address of the page says. */
export function ChunkView({ contextId, document, receipt }: ChunkViewProps): ReactElement {
  const api = useApi()
  const texts = useTexts(CHUNK_TEXTS)
  const errorText = useErrorText()
  const { number } = useFormat()
  const search = useSearch()
  const link = linkIn(search)
  const [chosen, setChosen] = useState<{ readonly search: string; readonly ordinal: number }>()
  const [wanted, setWanted] = useState(1)
  const { id: docId, uuid, displayName } = document
  const { chunks, characters } = receipt
  const place = useQuery({
    queryKey: ['chunk', contextId, docId, uuid, search],
    queryFn: async ({ signal }) => await findChunk(api, { contextId, docId, chunks, characters }, link, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const save = useMutation({
    mutationFn: async () => saveFile(await readText(api, contextId, docId), `${displayName}.txt`),
    onError: (error) => toast({ text: errorText(error) }),
  })
  return (
    <section className="panel">
      <h3>{texts.title}</h3>
      <p className="soft">{texts.explanation}</p>
      <Form className="docs-go" onSubmit={() => setChosen({ search, ordinal: wanted - 1 })}>
        <NumberField
          label={texts.goTo(number(chunks))}
          value={wanted}
          onChange={setWanted}
          isRequired
          minValue={1}
          maxValue={Math.max(1, chunks)}
        />
        <Button type="submit">{texts.go}</Button>
        <Button isPending={save.isPending} onPress={() => save.mutate()}>
          {texts.saveText}
        </Button>
      </Form>
      <Loaded query={place}>
        {({ ordinal, isGone }) => {
          // A choice counts until another link comes.
          const isChosen = chosen?.search === search
          const start = isChosen ? chosen.ordinal : ordinal
          return (
            <>
              {isGone && <Note kind="warning">{texts.gone}</Note>}
              <Chunks
                key={start}
                contextId={contextId}
                document={document}
                total={chunks}
                start={start}
                link={link}
                isWanted={isChosen || search !== ''}
              />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

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
function Chunks({ contextId, document, total, start, link, isWanted }: ChunksProps): ReactElement {
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

import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useSearch } from 'wouter'
import { useApi } from '../../api/api.js'
import { useErrorText } from '../../api/error-texts.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { NumberField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { Loaded, Note } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import type { Detailed, Receipt } from '../document.js'
import { readText, saveFile } from '../original.js'
import { findChunk, linkIn } from './chunk-place.js'
import { CHUNK_TEXTS } from './chunk-texts.js'
import { Chunks } from './chunks.js'

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

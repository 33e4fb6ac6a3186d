import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../api/api.js'
import { type Texts, useTexts } from '../texts/language.js'
import { BackLink } from '../ui/back-link.js'
import { Loaded } from '../ui/notes.js'
import { PageHead } from '../ui/page-head.js'
import { toast } from '../ui/toasts.js'
import { DestinationForm, type Submission } from './destination-form.js'
import { nameOf } from './destination-state.js'
import { type Destination, useDestination, WEBHOOKS_KEY } from './queries.js'

const TEXTS: Texts<{
  readonly back: string
  readonly title: string
  readonly about: string
  readonly save: string
  readonly saved: string
}> = {
  en: {
    back: 'The destination',
    title: 'Change a destination',
    about: 'Events that wait already go to the new URL too. The secret stays.',
    save: 'Save',
    saved: 'The destination is saved',
  },
  de: {
    back: 'Das Ziel',
    title: 'Ziel ändern',
    about: 'Auch Ereignisse, die schon warten, gehen an die neue URL. Das Secret bleibt.',
    save: 'Speichern',
    saved: 'Das Ziel ist gespeichert',
  },
}

/** Changes a destination: at `/webhooks/destinations/{id}/edit`. */
export function EditDestination({ id }: { readonly id: number }): ReactElement {
  const texts = useTexts(TEXTS)
  const query = useDestination(id)
  return (
    <>
      <BackLink href={`/webhooks/destinations/${id}`}>
        {query.data === undefined ? texts.back : nameOf(query.data)}
      </BackLink>
      <PageHead title={texts.title}>{texts.about}</PageHead>
      <Loaded query={query}>{(destination) => <Edit destination={destination} />}</Loaded>
    </>
  )
}

function Edit({ destination }: { readonly destination: Destination }): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const { id } = destination
  const update = useMutation({
    mutationFn: async ({ body }: Submission) =>
      await dataOf(api.PUT('/v1/outbound-webhooks/destinations/{id}', { params: { path: { id } }, body })),
    onSuccess: async (_saved, { release }) => {
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY })
      toast({ text: texts.saved })
      release()
      navigate(`/webhooks/destinations/${id}`)
    },
  })
  return (
    <DestinationForm
      destination={destination}
      action={texts.save}
      isPending={update.isPending}
      error={update.error}
      onSubmit={(submission) => update.mutate(submission)}
    />
  )
}

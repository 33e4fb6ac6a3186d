import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { BackLink } from '../../ui/back-link.js'
import { PageHead } from '../../ui/page-head.js'
import { WEBHOOKS_KEY } from '../queries.js'
import { DestinationForm, type Submission } from './destination-form.js'
import { SecretDialog } from './secret-dialog.js'

const TEXTS = phrases({
  en: {
    back: 'All destinations',
    title: 'Add a destination',
    about: 'Alcove then shows the secret with which the receiver verifies requests.',
    add: 'Add',
  },
  de: {
    back: 'Alle Ziele',
    title: 'Ziel hinzufügen',
    about: 'Danach zeigt Alcove das Secret, mit dem der Empfänger Anfragen prüft.',
    add: 'Hinzufügen',
  },
})

/** Adds a destination: at `/webhooks/destinations/new`. */
export function NewDestination(): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const create = useMutation({
    mutationFn: async ({ body }: Submission) => await dataOf(api.POST('/v1/outbound-webhooks/destinations', { body })),
    onSuccess: (_created, { release }) => {
      release()
      void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY })
    },
    // The secret stays in no cache.
    gcTime: 0,
  })
  return (
    <>
      <BackLink href="/webhooks">{texts.back}</BackLink>
      <PageHead title={texts.title}>{texts.about}</PageHead>
      <DestinationForm
        action={texts.add}
        isPending={create.isPending}
        error={create.error}
        onSubmit={(submission) => create.mutate(submission)}
      />
      {create.data !== undefined && (
        <SecretDialog destination={create.data} onClose={() => navigate(`/webhooks/destinations/${create.data.id}`)} />
      )}
    </>
  )
}

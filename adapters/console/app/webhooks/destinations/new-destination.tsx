import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Loaded, Note } from '../../ui/notes.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { toast } from '../../ui/toasts.js'
import { type Destination, useDestination, WEBHOOKS_KEY } from '../queries.js'
import { DestinationForm, type Submission } from './destination-form.js'
import { mergeSettings, pickSettings } from './destination-settings.js'
import { nameOf } from './destination-state.js'
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

const EDIT_DESTINATION_TEXTS = phrases({
  en: {
    back: 'The destination',
    title: 'Change a destination',
    about: 'Events that wait already go to the new URL too. The secret stays.',
    save: 'Save',
    saved: 'The destination is saved',
    names: {
      url: 'URL',
      name: 'Name',
      eventTypes: 'Events',
      includeDescendants: 'Events of the companies below',
      retry: 'Attempts',
      signatureScheme: 'Signature',
    },
    conflict: (names: string) =>
      `Nothing is saved yet: somebody else has changed this too since you began: ${names}. Save once more to put yours in place of the other change, or cancel to see it.`,
  },
  de: {
    back: 'Das Ziel',
    title: 'Ziel ändern',
    about: 'Auch Ereignisse, die schon warten, gehen an die neue URL. Das Secret bleibt.',
    save: 'Speichern',
    saved: 'Das Ziel ist gespeichert',
    names: {
      url: 'URL',
      name: 'Name',
      eventTypes: 'Ereignisse',
      includeDescendants: 'Auch Ereignisse untergeordneter Firmen',
      retry: 'Versuche',
      signatureScheme: 'Signatur',
    },
    conflict: (names) =>
      `Noch ist nichts gespeichert. Jemand anderes hat das seitdem auch geändert: ${names}. Speichere noch einmal, damit deine Änderung die andere ersetzt, oder brich ab, um die andere zu sehen.`,
  },
})

/** Changes a destination: at `/webhooks/destinations/{id}/edit`. */
export function EditDestination({ id }: { readonly id: number }): ReactElement {
  const texts = useTexts(EDIT_DESTINATION_TEXTS)
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
  const texts = useTexts(EDIT_DESTINATION_TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [base, setBase] = useState(destination)
  const { id } = base
  const update = useMutation({
    mutationFn: async ({ body: wanted }: Submission) => {
      const params = { path: { id } }
      const newest = await dataOf(api.GET('/v1/outbound-webhooks/destinations/{id}', { params }))
      const { body, conflicts } = mergeSettings(base, wanted, newest)
      // The next try knows of these changes, so it replaces them.
      if (conflicts.length > 0) setBase({ ...base, ...pickSettings(newest, conflicts) })
      else await dataOf(api.PUT('/v1/outbound-webhooks/destinations/{id}', { params, body }))
      return conflicts
    },
    onSuccess: async (conflicts, { release }) => {
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY })
      if (conflicts.length > 0) return
      toast({ text: texts.saved })
      release()
      navigate(`/webhooks/destinations/${id}`)
    },
  })
  const { data: conflicts = [] } = update
  return (
    <DestinationForm
      destination={destination}
      action={texts.save}
      isPending={update.isPending}
      error={update.error}
      onSubmit={(submission) => update.mutate(submission)}
    >
      {conflicts.length > 0 && (
        <div role="alert">
          <Note kind="warning">{texts.conflict(conflicts.map((name) => texts.names[name]).join(', '))}</Note>
        </div>
      )}
    </DestinationForm>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { phrases, plural, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { toast } from '../../ui/toasts.js'
import { type Destination, WEBHOOKS_KEY } from '../queries.js'
import { nameOf } from './destination-state.js'

const TEXTS = phrases({
  en: {
    action: 'Delete',
    title: (name: string) => `Delete “${name}”?`,
    lost: 'Its secret is erased, and it gets no more events. Its deliveries cannot be sent again.',
    stays: 'The log of its deliveries stays for as long as the server keeps logs. To pause it, disable it instead.',
    waiting: (count: number, isMore: boolean) =>
      plural.en(
        count,
        'One delivery waits and will be cancelled.',
        `${isMore ? 'More than ' : ''}${count} deliveries wait and will be cancelled.`,
      ),
    deleted: 'The destination is deleted',
  },
  de: {
    action: 'Löschen',
    title: (name) => `„${name}“ löschen?`,
    lost: 'Das Secret wird gelöscht, und es kommen keine Ereignisse mehr an. Die Zustellungen lassen sich nicht noch einmal senden.',
    stays:
      'Das Protokoll der Zustellungen bleibt, solange der Server Protokolle aufhebt. Für eine Pause kannst du das Ziel auch deaktivieren.',
    waiting: (count, isMore) =>
      plural.de(
        count,
        'Eine Zustellung wartet und wird abgebrochen.',
        `${isMore ? 'Mehr als ' : ''}${count} Zustellungen warten und werden abgebrochen.`,
      ),
    deleted: 'Das Ziel ist gelöscht',
  },
})

const MAX_COUNTED = 500

/** Deletes a destination, after a question that says what is lost. */
export function DeleteDestination({ destination }: { readonly destination: Destination }): ReactElement {
  const { id } = destination
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const { data: waiting } = useQuery({
    queryKey: [...WEBHOOKS_KEY, 'waiting', id],
    queryFn: async ({ signal }) => {
      const query = { destinationId: id, status: 'pending', limit: MAX_COUNTED } as const
      return await dataOf(api.GET('/v1/outbound-webhooks/deliveries', { params: { query }, signal }))
    },
    enabled: isAsking,
  })
  const remove = async (): Promise<void> => {
    await dataOf(api.DELETE('/v1/outbound-webhooks/destinations/{id}', { params: { path: { id } } }))
    queries.removeQueries({ queryKey: [...WEBHOOKS_KEY, 'destination', id] })
    void queries.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, 'destinations'] })
    toast({ text: texts.deleted })
    navigate('/webhooks')
  }
  return (
    <>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {texts.action}
      </Button>
      <ConfirmDialog
        title={texts.title(nameOf(destination))}
        action={texts.action}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      >
        <p>{texts.lost}</p>
        {waiting !== undefined && waiting.items.length > 0 && (
          <p>{texts.waiting(waiting.items.length, waiting.nextCursor !== null)}</p>
        )}
        <p>{texts.stays}</p>
      </ConfirmDialog>
    </>
  )
}

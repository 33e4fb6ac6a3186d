import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { Checkbox } from '../../ui/form/fields.js'
import { type Destination, WEBHOOKS_KEY } from '../queries.js'
import { SecretDialog } from './secret-dialog.js'

const TEXTS = phrases({
  en: {
    open: 'New secret',
    title: 'Make a new secret?',
    atOnce:
      'The old secret stops at once: only the new one signs from now on. Give it to the receiver right away, next to the old one. Until then the receiver refuses requests, and you must send them again.',
    overlap: 'Both secrets sign for 24 hours. After that the old one stops. Change the receiver in that time.',
    both: 'The old secret stops at once in x-service-signature. In webhook-signature both secrets sign for 24 hours.',
    now: 'Stop the old secret at once',
    nowHint: 'For a secret that somebody else may know.',
    action: 'Make a new secret',
  },
  de: {
    open: 'Neues Secret',
    title: 'Neues Secret erzeugen?',
    atOnce:
      'Das alte Secret gilt sofort nicht mehr: Ab jetzt signiert nur das neue. Gib es gleich dem Empfänger, zusätzlich zum alten. Bis dahin lehnt er Anfragen ab, und du musst sie noch einmal senden.',
    overlap: 'Beide Secrets signieren 24 Stunden lang. Danach gilt das alte nicht mehr. Stell den Empfänger vorher um.',
    both: 'In x-service-signature gilt das alte Secret sofort nicht mehr. In webhook-signature signieren beide 24 Stunden lang.',
    now: 'Altes Secret sofort ungültig machen',
    nowHint: 'Für ein Secret, das jemand anders kennen könnte.',
    action: 'Neues Secret erzeugen',
  },
})

/** Replaces the secret of a destination, and shows the new one. */
export function RotateSecret({ destination }: { readonly destination: Destination }): ReactElement {
  const { id, signatureScheme } = destination
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [isAtOnce, setAtOnce] = useState(false)
  const rotate = useMutation({
    mutationFn: async () => {
      const query = isAtOnce && signatureScheme !== 'service' ? { overlapHours: 0 } : {}
      const params = { path: { id }, query }
      const answer = api.POST('/v1/outbound-webhooks/destinations/{id}/rotate-secret', { params })
      return await dataOf(answer)
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY }),
    // The secret stays in no cache.
    gcTime: 0,
  })
  return (
    <>
      <Button onPress={() => setAsking(true)}>{texts.open}</Button>
      <ConfirmDialog
        title={texts.title}
        action={texts.action}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => await rotate.mutateAsync()}
      >
        <p>{signatureScheme === 'service' ? texts.atOnce : signatureScheme === 'both' ? texts.both : texts.overlap}</p>
        {signatureScheme !== 'service' && (
          <Checkbox label={texts.now} hint={texts.nowHint} isSelected={isAtOnce} onChange={setAtOnce} />
        )}
      </ConfirmDialog>
      {rotate.data !== undefined && <SecretDialog destination={rotate.data} onClose={rotate.reset} />}
    </>
  )
}

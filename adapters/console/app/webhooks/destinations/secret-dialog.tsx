import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { CopyButton } from '../../ui/copy-button.js'
import { ConfirmDialog, Dialog } from '../../ui/dialogs.js'
import { Checkbox } from '../../ui/form/fields.js'
import { Note } from '../../ui/notes.js'
import { type Destination, type DestinationWithSecret, WEBHOOKS_KEY } from '../queries.js'

const TEXTS = phrases({
  en: {
    title: 'The secret of the destination',
    once: 'Copy the secret now and give it to the receiver. It is not shown again.',
    copySecret: 'Copy the secret',
    verify: 'Verify a request',
    verifyText: 'The secret signs each request. A receiver in Node checks it like this:',
    comment: 'The raw bytes of the body. It throws for a wrong signature: answer 401.',
    other: 'Other languages: see “Receive webhooks” in the documentation.',
    done: 'I have copied the secret',
  },
  de: {
    title: 'Das Secret des Ziels',
    once: 'Kopiere das Secret jetzt und gib es dem Empfänger. Es wird nicht noch einmal angezeigt.',
    copySecret: 'Secret kopieren',
    verify: 'Eine Anfrage prüfen',
    verifyText: 'Mit dem Secret ist jede Anfrage signiert. Ein Empfänger in Node prüft das so:',
    comment: 'Die Bytes der Anfrage. Eine falsche Signatur ist ein Fehler: Antworte mit 401.',
    other: 'Andere Sprachen: siehe „Receive webhooks“ in der Dokumentation.',
    done: 'Ich habe das Secret kopiert',
  },
})

interface SecretDialogProps {
  readonly destination: DestinationWithSecret
  readonly onClose: () => void
}

/** Shows a new secret, this once, and how a receiver uses it. */
export function SecretDialog({ destination, onClose }: SecretDialogProps): ReactElement {
  const texts = useTexts(TEXTS)
  const release = useUnsaved(true, undefined, 'secret')
  const code = verifyingCode(destination.signatureScheme, texts.comment)
  return (
    // Only the button closes it: whoever presses Escape by mistake would lose the secret.
    <Dialog title={texts.title} isOpen isWide onClose={() => undefined} role="alertdialog">
      <Note kind="warning">{texts.once}</Note>
      <code className="hooks-secret">{destination.secret}</code>
      <CopyButton text={destination.secret} label={texts.copySecret} />
      <h3>{texts.verify}</h3>
      <p>{texts.verifyText}</p>
      <pre>{code}</pre>
      <CopyButton text={code} />
      <p className="hint">{texts.other}</p>
      <div className="actions">
        <Button
          kind="primary"
          onPress={() => {
            release()
            onClose()
          }}
        >
          {texts.done}
        </Button>
      </div>
    </Dialog>
  )
}

function verifyingCode(scheme: DestinationWithSecret['signatureScheme'], comment: string): string {
  const options = scheme === 'standard' ? ", { scheme: 'standard' }" : ''
  return [
    "import { verifyWebhook } from 'alcove/webhooks'",
    '',
    `// ${comment}`,
    'const body = await request.arrayBuffer()',
    `const event = await verifyWebhook(body, request.headers, process.env.WEBHOOK_SECRET${options})`,
  ].join('\n')
}

const ROTATE_SECRET_TEXTS = phrases({
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
  const texts = useTexts(ROTATE_SECRET_TEXTS)
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

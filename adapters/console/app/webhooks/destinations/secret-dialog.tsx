import type { ReactElement } from 'react'
import { useUnsaved } from '../../frame/guarded-router.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Dialog } from '../../ui/dialogs.js'
import { Note } from '../../ui/notes.js'
import type { DestinationWithSecret } from '../queries.js'

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

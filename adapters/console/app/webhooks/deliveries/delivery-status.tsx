import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { useReason } from '../../api/use-reason.js'
import { phrases, useLanguage, useTexts } from '../../texts/phrases.js'
import { Badge } from '../../ui/notes.js'
import type { Delivery } from '../queries.js'

type DeliveryStatus = Delivery['status']
type Outcome = NonNullable<Schema<'Attempt'>['outcome']>

export const STATUSES: readonly DeliveryStatus[] = [
  'pending',
  'delivering',
  'succeeded',
  'failed',
  'blocked',
  'cancelled',
  'dead',
]

const TEXTS = phrases({
  en: {
    names: {
      pending: 'waiting',
      delivering: 'sending',
      succeeded: 'succeeded',
      failed: 'failed',
      blocked: 'blocked',
      cancelled: 'cancelled',
      dead: 'not deliverable',
    },
    meanings: {
      pending: 'It waits for its first or next attempt.',
      delivering: 'An attempt runs now.',
      succeeded: 'The receiver has accepted it.',
      failed: 'The receiver answered with an error, or could not be reached. Mend it, then send the event again.',
      blocked: 'Alcove may not contact this address, and has sent nothing. Change the URL, or have it allowed.',
      cancelled: 'The destination was deleted or disabled, or its company was disabled, so nothing more is sent.',
      dead: 'Alcove itself cannot deliver it. Ask the operator of the server to look at its log.',
    },
    outcomes: {
      success: 'accepted',
      http_error: 'error answer',
      timeout: 'no answer in time',
      connection_error: 'no connection',
      blocked: 'blocked',
      interrupted: 'interrupted, does not count',
    },
    running: 'sending',
  },
  de: {
    names: {
      pending: 'wartet',
      delivering: 'wird gesendet',
      succeeded: 'zugestellt',
      failed: 'fehlgeschlagen',
      blocked: 'blockiert',
      cancelled: 'abgebrochen',
      dead: 'nicht zustellbar',
    },
    meanings: {
      pending: 'Sie wartet auf ihren ersten oder nächsten Versuch.',
      delivering: 'Ein Versuch läuft gerade.',
      succeeded: 'Der Empfänger hat sie angenommen.',
      failed:
        'Der Empfänger hat mit einem Fehler geantwortet oder war nicht erreichbar. Bring ihn in Ordnung und sende das Ereignis noch einmal.',
      blocked:
        'Alcove darf diese Adresse nicht ansprechen und hat nichts gesendet. Ändere die URL oder lass sie erlauben.',
      cancelled:
        'Das Ziel wurde gelöscht oder deaktiviert, oder seine Firma ist deaktiviert. Es wird nichts mehr gesendet.',
      dead: 'Alcove selbst kann sie nicht zustellen. Bitte den Betreiber des Servers, ins Log zu sehen.',
    },
    outcomes: {
      success: 'angenommen',
      http_error: 'Fehlerantwort',
      timeout: 'keine Antwort in der erlaubten Zeit',
      connection_error: 'keine Verbindung',
      blocked: 'blockiert',
      interrupted: 'unterbrochen, zählt nicht',
    },
    running: 'wird gesendet',
  },
})

const KINDS = {
  pending: 'busy',
  delivering: 'busy',
  succeeded: 'good',
  failed: 'bad',
  blocked: 'bad',
  cancelled: 'neutral',
  dead: 'bad',
} as const

export function DeliveryStatusBadge({ status }: { readonly status: DeliveryStatus }): ReactElement {
  return <Badge kind={KINDS[status]}>{useTexts(TEXTS).names[status]}</Badge>
}

/** The names of the statuses, and a sentence about each. */
export function useStatusTexts(): Pick<(typeof TEXTS)['en'], 'names' | 'meanings'> {
  return useTexts(TEXTS)
}

/** @param outcome null while the attempt runs */
export function OutcomeBadge({ outcome }: { readonly outcome: Outcome | null }): ReactElement {
  const texts = useTexts(TEXTS)
  if (outcome === null) return <Badge kind="busy">{texts.running}</Badge>
  const kind = outcome === 'success' ? 'good' : outcome === 'interrupted' ? 'neutral' : 'bad'
  return <Badge kind={kind}>{texts.outcomes[outcome]}</Badge>
}

interface DeliveryProblemProps extends Pick<Schema<'Delivery'>, 'reason'> {
  readonly error: string
}

/** Why an attempt or a delivery has failed, in the language of the user. */
export function DeliveryProblem({ error, reason }: DeliveryProblemProps): ReactElement {
  const { text, lang } = useReason()(reason, error)
  return <span lang={lang}>{text}</span>
}

/** A function that says a time with its seconds: events come many in a minute. */
export function useExactTime(): (iso: string) => string {
  const { language } = useLanguage()
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
  return (iso) => format.format(new Date(iso))
}

import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Badge } from '../../ui/notes.js'
import type { Destination } from '../queries.js'

const TEXTS = phrases({
  en: {
    enabled: 'enabled',
    failing: 'failing',
    disabled: 'disabled',
    gone: 'disabled by its receiver',
    failingText: (since: string) => `No attempt has succeeded since ${since}. Look at the answers in its deliveries.`,
    goneText: 'The receiver answered 410, which means that it wants no more events. Enable it to send events again.',
    disabledText: 'It gets no events. Enable it to send events again.',
  },
  de: {
    enabled: 'aktiv',
    failing: 'gestört',
    disabled: 'deaktiviert',
    gone: 'vom Empfänger beendet',
    failingText: (since) => `Seit ${since} ist kein Versuch gelungen. Sieh dir die Antworten in den Zustellungen an.`,
    goneText:
      'Der Empfänger hat 410 geantwortet, will also keine Ereignisse mehr. Aktiviere das Ziel, um wieder welche zu senden.',
    disabledText: 'Es bekommt keine Ereignisse. Aktiviere es, um wieder welche zu senden.',
  },
})

/** The state of a destination as a badge. */
export function DestinationState({ destination }: { readonly destination: Destination }): ReactElement {
  const texts = useTexts(TEXTS)
  if (destination.disabledReason === 'gone') return <Badge kind="bad">{texts.gone}</Badge>
  if (destination.disabled) return <Badge>{texts.disabled}</Badge>
  if (destination.failingSince !== null) return <Badge kind="bad">{texts.failing}</Badge>
  return <Badge kind="good">{texts.enabled}</Badge>
}

/** A function that says what a state means; undefined for a destination that works. */
export function useStateText(): (destination: Destination) => string | undefined {
  const texts = useTexts(TEXTS)
  const format = useFormat()
  return ({ disabled, disabledReason, failingSince }) => {
    if (disabledReason === 'gone') return texts.goneText
    if (disabled) return texts.disabledText
    return failingSince === null ? undefined : texts.failingText(format.time(failingSince))
  }
}

/** The name of a destination for people: its own, or else the host of its URL. */
export function nameOf({ name, url }: Pick<Destination, 'name' | 'url'>): string {
  if (name !== null && name !== '') return name
  return URL.canParse(url) ? new URL(url).host : url
}

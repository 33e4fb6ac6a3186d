import { type ReactElement, useState } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Badge } from '../../ui/notes.js'
import type { AuditEntry } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { EntryDetails } from './entry-details.js'
import { EntrySentence } from './entry-sentence.js'

interface EntryItemProps {
  readonly entry: AuditEntry
  /** Called to show only the actions of a user. */
  readonly onUser: (userId: number) => void
}

/** An entry as a sentence: who, what, on what; then when, from where, and the outcome. */
export function EntryItem({ entry, onUser }: EntryItemProps): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const { outcome, remoteAddress, clientId } = entry
  const origin = [
    format.time(entry.time),
    ...(remoteAddress === null ? [] : [texts.address(remoteAddress)]),
    ...(clientId === null ? [] : [texts.client(clientId)]),
  ].join(', ')
  return (
    <li className="operate-entry">
      <EntrySentence entry={entry} />
      <p className="soft">
        {origin} <Badge kind={outcome === 'done' ? 'good' : 'bad'}>{texts.outcomes[outcome]}</Badge>
      </p>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{texts.details}</summary>
        {isOpen && <EntryDetails entry={entry} onUser={onUser} />}
      </details>
    </li>
  )
}

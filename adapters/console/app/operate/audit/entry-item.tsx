import { Fragment, type ReactElement, useState } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/language.js'
import { Badge } from '../../ui/notes.js'
import { useNameOf } from '../use-names.js'
import { ACTION_TEXTS, sentenceOf } from './action-texts.js'
import type { AuditEntry } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { EntryDetails } from './entry-details.js'

interface EntryItemProps {
  readonly entry: AuditEntry
  /** Called to show only the actions of a user. */
  readonly onUser: (userId: number) => void
}

/** An entry as a sentence: who, what, on what; then when, from where, and the outcome. */
export function EntryItem({ entry, onUser }: EntryItemProps): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const actionTexts = useTexts(ACTION_TEXTS)
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const { actor, targetType, targetId, details, outcome, remoteAddress, clientId } = entry
  const actorName = useNameOf('user', actor.userId)
  const { contextId } = details
  const targetName = useNameOf(targetType, targetId, typeof contextId === 'number' ? contextId : undefined)
  const names: Readonly<Record<string, string>> = {
    '@': actorName ?? (actor.userId === null ? texts.actors[actor.kind] : texts.actorNumber(actor.userId)),
    '#': targetName ?? (targetId === null ? texts.unknownTarget : String(targetId)),
  }
  const origin = [
    format.time(entry.time),
    ...(remoteAddress === null ? [] : [texts.address(remoteAddress)]),
    ...(clientId === null ? [] : [texts.client(clientId)]),
  ].join(', ')
  const words = sentenceOf(actionTexts, entry.action, outcome === 'done').split(/([@#])/)
  return (
    <li className="operate-entry">
      <p>
        {words.map((word) => {
          const name = names[word]
          return name === undefined ? (
            <Fragment key={word}>{word}</Fragment>
          ) : (
            <strong key={word}>
              <bdi>{name}</bdi>
            </strong>
          )
        })}
      </p>
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

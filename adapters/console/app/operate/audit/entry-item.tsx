import { Fragment, type ReactElement, useState } from 'react'
import { useFormat } from '../../texts/format.js'
import { phraseOf, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Badge } from '../../ui/notes.js'
import { Fact } from '../fact.js'
import { useNameOf } from '../use-names.js'
import { ACTION_TEXTS, idOf, sentenceOf } from './action-texts.js'
import type { AuditEntry } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { DETAIL_TEXTS, KINDS_OF_DETAILS } from './detail-texts.js'

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

/** The actor, the action and its target: names where the reader may see them, and else numbers. */
function EntrySentence({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const words = sentenceOf(useTexts(ACTION_TEXTS), entry).split(/(@|#|\{\w+\})/)
  return (
    <p>
      {words.map((word) =>
        /^[@#{]/.test(word) ? (
          <strong key={word}>
            <bdi>
              <EntryName entry={entry} word={word} />
            </bdi>
          </strong>
        ) : (
          <Fragment key={word}>{word}</Fragment>
        ),
      )}
    </p>
  )
}

function EntryName({ entry, word }: { readonly entry: AuditEntry; readonly word: string }): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const { actor, details } = entry
  const [kind, id] = thingOf(entry, word)
  const name = useNameOf(kind, id, details)
  if (name !== undefined) return <>{name}</>
  if (word !== '@') return <>{id === null ? texts.unknownTarget : String(id)}</>
  return <>{id === null ? texts.actors[actor.kind] : texts.actorNumber(id)}</>
}

/** The kind and the id of the thing that a word of the sentence stands for. */
function thingOf(entry: AuditEntry, word: string): readonly [string, number | null] {
  const { actor, targetType, targetId } = entry
  if (word === '@') return ['user', actor.userId]
  if (word === '#') return [targetType, targetId]
  const detail = word.slice(1, -1)
  return [KINDS_OF_DETAILS[detail] ?? '', idOf(entry, detail)]
}

type Value = AuditEntry['details'][string]

interface EntryDetailsProps {
  readonly entry: AuditEntry
  readonly onUser: (userId: number) => void
}

/** All that an entry has, as names and values. */
function EntryDetails({ entry, onUser }: EntryDetailsProps): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const { names } = useTexts(DETAIL_TEXTS)
  const { id, actor, companyId, targetType, targetId, requestId, details } = entry
  const { userId } = actor
  const members: readonly (readonly [string, Value])[] = [
    ...Object.entries(details),
    ...(userId === null ? [] : [['actor', userId] as const]),
    ...(targetId === null
      ? []
      : [['target', `${phraseOf(names, `${targetType}Id`) ?? targetType} ${targetId}`] as const]),
    ['companyId', companyId],
    ...(requestId === null ? [] : [['requestId', requestId] as const]),
    ['id', id],
  ]
  return (
    <>
      <dl className="facts">
        {members.map(([name, value]) => (
          <Fact key={name} name={phraseOf(names, name) ?? name}>
            <DetailValue name={name} value={value} details={details} />
          </Fact>
        ))}
      </dl>
      {userId !== null && <Button onPress={() => onUser(userId)}>{texts.onlyUser}</Button>}
    </>
  )
}

function DetailValue({
  name,
  value,
  details,
}: {
  readonly name: string
  readonly value: Value
  readonly details: AuditEntry['details']
}): ReactElement {
  const texts = useTexts(DETAIL_TEXTS)
  const kind = KINDS_OF_DETAILS[name]
  const id = typeof value === 'number' ? value : null
  const known = useNameOf(kind ?? '', kind === undefined ? null : id, details)
  if (known !== undefined && id !== null) return <bdi>{`${known} (${id})`}</bdi>
  if (value === null) return <>{texts.none}</>
  if (typeof value === 'boolean') return <>{value ? texts.yes : texts.no}</>
  return <>{phraseOf(texts.values, `${name} ${value}`) ?? String(value)}</>
}

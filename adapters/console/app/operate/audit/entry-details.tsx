import type { ReactElement } from 'react'
import { phraseOf, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Fact } from '../fact.js'
import { useNameOf } from '../use-names.js'
import type { AuditEntry } from './actions.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { DETAIL_TEXTS, KINDS_OF_DETAILS } from './detail-texts.js'

type Value = AuditEntry['details'][string]

interface EntryDetailsProps {
  readonly entry: AuditEntry
  readonly onUser: (userId: number) => void
}

/** All that an entry has, as names and values. */
export function EntryDetails({ entry, onUser }: EntryDetailsProps): ReactElement {
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

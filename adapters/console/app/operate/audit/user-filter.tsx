import { type ReactElement, useState } from 'react'
import { useLanguage, useTexts } from '../../texts/phrases.js'
import { Select } from '../../ui/form/fields.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { IdField } from './id-field.js'
import { type Actor, useActors } from './use-actors.js'

interface UserFilterProps {
  /** An id; empty for all users. */
  readonly user: string
  readonly onChange: (user: string) => void
}

const ALL = 'all'
const BY_NUMBER = 'number'

/** A choice of those who acted last, by name. Any other user can be given by number. */
export function UserFilter({ user, onChange }: UserFilterProps): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const { language } = useLanguage()
  const [isByNumber, setByNumber] = useState(false)
  const number = Number(user)
  const id = Number.isSafeInteger(number) && number > 0 ? number : undefined
  const actors = useActors(id)
  const labelOf = (actor: Actor): string =>
    actor.name === undefined ? texts.actorNumber(actor.id) : `${actor.name} (${actor.id})`
  const named = actors
    .map((actor) => ({ value: String(actor.id), label: labelOf(actor) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language))
  const choose = (value: string): void => {
    setByNumber(value === BY_NUMBER)
    onChange(value === ALL || value === BY_NUMBER ? '' : value)
  }
  return (
    <>
      <Select
        label={texts.user}
        value={isByNumber ? BY_NUMBER : String(id ?? ALL)}
        onChange={choose}
        choices={[
          { value: ALL, label: texts.allUsers },
          ...named,
          { value: BY_NUMBER, label: texts.userByNumber, hint: texts.userByNumberHint },
        ]}
      />
      {isByNumber && <IdField label={texts.userNumber} hint={texts.userHint} id={user} onChange={onChange} />}
    </>
  )
}

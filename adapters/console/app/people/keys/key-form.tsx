import { type ReactElement, useState } from 'react'
import { useFieldError } from '../../api/field-errors.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { type Sight, useLogin, useOwnSight } from '../../login/use-login.js'
import { useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { Checkbox, Choices, TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote, Note } from '../../ui/notes.js'
import { CompanyChoice } from '../company-choice.js'
import { useRoles } from '../roles/use-roles.js'
import { isServiceUser, type User } from '../use-users.js'
import { UserChoice } from '../users/user-choice.js'
import { KEY_TEXTS } from './key-texts.js'
import type { KeyInput, Target } from './use-keys.js'

interface KeyFormProps {
  readonly rootId: number | undefined
  readonly isPending: boolean
  readonly error: unknown
  readonly onCreate: (input: KeyInput) => void
  /** Forgets the error: a field with one holds the form back. */
  readonly onEdit: () => void
}

type ActsAs = 'service' | 'me' | 'user'

const TARGETS: readonly Target[] = ['assistant', 'tenant']

/** The choices for a new key. It offers only what the server allows, as far as the page knows. */
export function KeyForm({ rootId, isPending, error, onCreate, onEdit }: KeyFormProps): ReactElement {
  const texts = useTexts(KEY_TEXTS)
  const { login } = useLogin()
  const ownSight = useOwnSight()
  const [companyId, setCompanyId] = useState(rootId)
  const [chosenActsAs, setActsAs] = useState<ActsAs>()
  const [user, setUser] = useState<User>()
  const [wanted, setWanted] = useState<ReadonlySet<Target>>(new Set(['assistant']))
  const [chosenSight, setSight] = useState<Sight>()
  const [expires, setExpires] = useState('')
  const [hasTried, setTried] = useState(false)
  const isChanged =
    companyId !== rootId ||
    expires !== '' ||
    [user, chosenActsAs, chosenSight].some((choice) => choice !== undefined) ||
    [...wanted].join() !== 'assistant'
  useUnsaved(isChanged)
  const mayMakeServices = useMayMakeServices()
  const actsAs = chosenActsAs ?? (mayMakeServices ? 'service' : 'me')
  const isPerson = actsAs === 'user' && user !== undefined && user.id !== login.user.id && !isServiceUser(user)
  // The maker knows the secret, and would see what the key sees.
  const isHidden = isPerson && ownSight === 'user'
  const targets = TARGETS.filter((target) => wanted.has(target) && !(target === 'assistant' && isHidden))
  const sight = ownSight === 'user' ? 'user' : (chosenSight ?? 'user')
  const userId = actsAs === 'me' ? login.user.id : actsAs === 'user' ? user?.id : undefined
  const isComplete = companyId !== undefined && targets.length > 0 && (actsAs !== 'user' || user !== undefined)
  const needsTarget = hasTried && targets.length === 0
  const wrong = useFieldError()(error, ['expires'])
  const submit = (): void => {
    if (!isComplete) return
    const optional = { ...(userId !== undefined && { userId }), ...(expires !== '' && { expires }) }
    onCreate({ companyId, targets, sight, ...optional })
  }
  const toggle = (target: Target, isWanted: boolean): void => {
    setWanted(new Set(TARGETS.filter((each) => (each === target ? isWanted : wanted.has(each)))))
  }
  return (
    <Form onTry={() => setTried(true)} onSubmit={submit} className="people-form">
      <CompanyChoice
        value={companyId}
        onChange={(id) => {
          setCompanyId(id)
          setUser(undefined)
        }}
      />
      <Choices
        label={texts.actsAs}
        value={actsAs}
        onChange={setActsAs}
        {...(!mayMakeServices && { hint: `${texts.asService}: ${texts.asServiceLack}` })}
        choices={[
          ...(mayMakeServices
            ? [{ value: 'service', label: texts.asService, hint: texts.asServiceHint } as const]
            : []),
          { value: 'me', label: texts.asMe, hint: texts.asMeHint },
          { value: 'user', label: texts.asUser, hint: texts.asUserHint },
        ]}
      />
      {actsAs === 'user' && companyId !== undefined && (
        <UserChoice
          key={companyId}
          label={texts.chooseUser}
          companyId={companyId}
          value={user?.id}
          onChange={setUser}
        />
      )}
      <fieldset className="people-choice" data-invalid={needsTarget || undefined} aria-describedby="key-targets-error">
        <legend>{texts.forWhat}</legend>
        <Checkbox
          label={texts.targetNames.assistant}
          hint={isHidden ? texts.assistantPerson : texts.assistantHint}
          isSelected={targets.includes('assistant')}
          isDisabled={isHidden}
          onChange={(isWanted) => toggle('assistant', isWanted)}
        />
        <Checkbox
          label={texts.targetNames.tenant}
          hint={texts.tenantHint}
          isSelected={targets.includes('tenant')}
          onChange={(isWanted) => toggle('tenant', isWanted)}
        />
        <span id="key-targets-error" role="alert" className="field-error">
          {needsTarget && texts.needTarget}
        </span>
      </fieldset>
      {ownSight === 'user' ? (
        <Note>{texts.sightOnly}</Note>
      ) : (
        <Choices
          label={texts.sightLabel}
          value={sight}
          onChange={setSight}
          choices={[
            { value: 'user', label: texts.sightUser, hint: texts.sightUserHint },
            { value: 'account', label: texts.sightAccount, hint: texts.sightAccountHint },
          ]}
        />
      )}
      {actsAs === 'service' && sight === 'user' && <Note>{texts.sightService}</Note>}
      <TextField
        label={texts.until}
        hint={texts.untilHint}
        type="date"
        value={expires}
        onChange={(date) => {
          setExpires(date)
          onEdit()
        }}
        error={wrong?.text}
      />
      {wrong === undefined && <ErrorNote error={error} />}
      <div className="actions">
        <Button type="submit" kind="primary" isPending={isPending}>
          {texts.make}
        </Button>
        <ButtonLink href="/people/keys">{texts.cancel}</ButtonLink>
      </div>
    </Form>
  )
}

/** A new user for a key is Administrator, which nobody gives who lacks a right of that role. */
function useMayMakeServices(): boolean {
  const { data } = useRoles()
  const administrator = data?.find(({ customerId, name }) => customerId === null && name === 'Administrator')
  return administrator?.grantable !== false
}

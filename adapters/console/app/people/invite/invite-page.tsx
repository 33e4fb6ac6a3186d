import { type ReactElement, useState } from 'react'
import { useFieldError } from '../../api/field-errors.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { Checkbox, Select, TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { CompanyChoice } from '../company-choice.js'
import { useRoleChoices } from '../names.js'
import { type PermissionDraft, PermissionSteps } from '../permissions/permission-steps.js'
import { useCompanies } from '../use-companies.js'
import { INVITE_TEXTS } from './invite-texts.js'
import { useFirstRoles, useInvite } from './use-invite.js'

/** Adds a user: at `/people/invite`. */
export function InvitePage(): ReactElement {
  const texts = useTexts(INVITE_TEXTS)
  const { data: companies } = useCompanies()
  const roleChoices = useRoleChoices()
  const [email, setEmail] = useState('')
  const [firstName, setFirstName] = useState('')
  const [lastName, setLastName] = useState('')
  const [chosenCompany, setChosenCompany] = useState<number>()
  const [isInvited, setInvited] = useState(true)
  const [chosenRole, setChosenRole] = useState<number>()
  const [draft, setDraft] = useState<PermissionDraft>()
  const isChanged =
    [email, firstName, lastName].some((text) => text.trim() !== '') ||
    [chosenCompany, chosenRole, draft].some((choice) => choice !== undefined) ||
    !isInvited
  const invite = useInvite(useUnsaved(isChanged))
  const companyId = chosenCompany ?? companies?.root?.id
  const firstRoles = useFirstRoles(companyId)
  const first = firstRoles.data ?? undefined
  const role = chosenRole ?? first?.roles.find(({ title }) => title === 'Member')?.value
  const wrong = useFieldError()(invite.error, ['email', 'firstName', 'lastName'])
  const errorAt = (field: string): string | undefined => (wrong?.field === field ? wrong.text : undefined)
  // An error of the server belongs to what was sent.
  const edit = (set: (value: string) => void) => (value: string) => {
    set(value)
    if (invite.isError) invite.reset()
  }
  const submit = (): void => {
    if (companyId === undefined || firstRoles.data === undefined) return
    // The permission would silently be left out: a note says why there is nothing to choose.
    if (draft !== undefined && draft.role === undefined) return
    invite.mutate({
      user: { email, firstName, lastName, customerId: companyId, invite: isInvited },
      first: first && role !== undefined ? { account: first.account, role } : undefined,
      second: draft,
    })
  }
  return (
    <>
      <BackLink href="/people">{texts.back}</BackLink>
      <PageHead title={texts.title}>{texts.intro}</PageHead>
      <Form onSubmit={submit} className="people-form">
        <TextField
          label={texts.email}
          hint={texts.emailHint}
          type="email"
          autoComplete="off"
          value={email}
          onChange={edit(setEmail)}
          isRequired
          error={errorAt('email')}
          autoFocus
        />
        <div className="columns">
          <TextField
            label={texts.firstName}
            autoComplete="off"
            value={firstName}
            onChange={edit(setFirstName)}
            error={errorAt('firstName')}
          />
          <TextField
            label={texts.lastName}
            autoComplete="off"
            value={lastName}
            onChange={edit(setLastName)}
            error={errorAt('lastName')}
          />
        </div>
        <CompanyChoice
          value={companyId}
          onChange={(id) => {
            setChosenCompany(id)
            setChosenRole(undefined)
            setDraft(undefined)
          }}
        />
        <ErrorNote error={firstRoles.error} onRetry={() => void firstRoles.refetch()} />
        {first !== undefined && first.roles.length > 0 && (
          <Select
            label={texts.role}
            hint={texts.roleDefault}
            choices={roleChoices(first.roles)}
            value={role === undefined ? null : String(role)}
            onChange={(value) => setChosenRole(Number(value))}
          />
        )}
        {companyId !== undefined && (
          <div className="people-block">
            <Checkbox
              label={texts.further}
              hint={texts.furtherHint}
              isSelected={draft !== undefined}
              onChange={(isWanted) => setDraft(isWanted ? { companyId } : undefined)}
            />
          </div>
        )}
        {draft !== undefined && (
          <div className="panel">
            <PermissionSteps
              draft={draft}
              onChange={setDraft}
              takenAccounts={new Set(first === undefined ? [] : [first.account])}
            />
          </div>
        )}
        <div className="people-block">
          <Checkbox
            label={texts.invite}
            hint={isInvited ? texts.inviteHint : texts.noInviteHint}
            isSelected={isInvited}
            onChange={setInvited}
          />
        </div>
        {wrong === undefined && <ErrorNote error={invite.error} />}
        <div className="actions">
          <Button
            type="submit"
            kind="primary"
            isPending={invite.isPending}
            // Without the choices, the user would silently become a Member.
            isDisabled={firstRoles.data === undefined}
          >
            {isInvited ? texts.send : texts.addOnly}
          </Button>
          <ButtonLink href="/people">{texts.cancel}</ButtonLink>
        </div>
      </Form>
    </>
  )
}

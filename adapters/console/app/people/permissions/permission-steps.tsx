import type { ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Select } from '../../ui/form/fields.js'
import { Loaded, Loading, Note } from '../../ui/notes.js'
import { useApplicationName, useRoleChoices } from '../names.js'
import { type OptionItem, type OptionsPath, useOptions } from '../use-options.js'
import { USER_TEXTS } from '../user-texts.js'

/** A permission that is being chosen. */
export interface PermissionDraft extends OptionsPath {
  readonly role?: number | undefined
}

interface PermissionStepsProps {
  readonly draft: PermissionDraft
  readonly onChange: (draft: PermissionDraft) => void
  /** Accounts that are no choice: the user has a permission on them. */
  readonly takenAccounts: ReadonlySet<number>
}

/** Chooses application, region, account and role. Each step has only what the step before allows. */
export function PermissionSteps({ draft, onChange, takenAccounts }: PermissionStepsProps): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const options = useOptions(draft)
  const roleChoices = useRoleChoices()
  const applicationName = useApplicationName()
  const { companyId, type, region } = draft
  return (
    <Loaded query={options}>
      {({ applications, regions, accounts, roles }) => {
        const free = accounts.filter(({ value }) => !takenAccounts.has(value))
        return (
          <>
            {applications.length === 0 && <Note kind="warning">{texts.noChoice}</Note>}
            <Step
              label={texts.application}
              items={applications}
              nameOf={applicationName}
              value={draft.type}
              onChange={(chosen) => onChange({ companyId, type: chosen })}
            />
            {type !== undefined && (
              <Step
                label={texts.region}
                items={regions}
                value={draft.region}
                onChange={(chosen) => onChange({ companyId, type, region: chosen })}
              />
            )}
            {region !== undefined && accounts.length > 0 && free.length === 0 && (
              <Note kind="warning">{texts.hasAll}</Note>
            )}
            {region !== undefined && (
              <Step
                label={texts.account}
                items={free}
                value={draft.account}
                onChange={(chosen) => onChange({ companyId, type, region, account: chosen })}
              />
            )}
            {options.isPlaceholderData && <Loading />}
            {draft.account !== undefined && !options.isPlaceholderData && roles.length === 0 && (
              <Note kind="warning">{texts.noChoice}</Note>
            )}
            {draft.account !== undefined && roles.length > 0 && (
              <Select
                label={texts.role}
                isRequired
                choices={roleChoices(roles)}
                value={draft.role === undefined ? null : String(draft.role)}
                onChange={(chosen) => onChange({ ...draft, role: Number(chosen) })}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

interface StepProps {
  readonly label: string
  readonly items: readonly OptionItem[]
  /** Names an item for people. Default: its title. */
  readonly nameOf?: (title: string) => string
  readonly value: number | undefined
  readonly onChange: (value: number) => void
}

function Step({ label, items, nameOf = (title) => title, value, onChange }: StepProps): ReactElement | null {
  if (items.length === 0) return null
  return (
    <Select
      label={label}
      isRequired
      choices={items.map(({ value: id, title }) => ({ value: String(id), label: nameOf(title), technical: title }))}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  )
}

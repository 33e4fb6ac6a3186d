import { useTexts } from '../../texts/phrases.js'
import type { Choice } from '../../ui/form/fields.js'
import { useRoleNames } from '../names.js'
import type { OptionItem } from '../use-options.js'
import { ROLE_TEXTS } from './role-texts.js'
import { useRoles } from './use-roles.js'

/** A function that says what a role may do. */
export function useCapabilityText(): (capability: string) => string {
  const { capabilities } = useTexts(ROLE_TEXTS)
  return (capability) => capabilities[capability] ?? capability
}

/** A function that turns options into choices that say what each role may do. */
export function useRoleChoices(): (roles: readonly OptionItem[]) => readonly Choice<string>[] {
  const { data } = useRoles()
  const { nameOf, aboutOf } = useRoleNames()
  const textOf = useCapabilityText()
  return (items) =>
    items.map(({ value, title }) => {
      const named = { id: value, name: title }
      const role = data?.find(({ id }) => id === value)
      const hint = aboutOf(named) ?? role?.capabilities.map(textOf).join(' · ')
      return {
        value: String(value),
        label: nameOf(named),
        technical: title,
        ...(hint !== undefined && { hint }),
      }
    })
}

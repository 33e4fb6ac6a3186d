import { phraseOf, phrases, useTexts } from '../texts/phrases.js'
import type { Choice } from '../ui/form/fields.js'
import { APPLICATION_NAMES, TEXTS as PEOPLE_TEXTS, ROLE_TEXTS } from './people-texts.js'
import { useRoles } from './roles/use-roles.js'
import type { OptionItem } from './use-options.js'
import type { User } from './use-users.js'

const TEXTS = phrases({
  en: {
    /** The roles that every installation has, by their technical names. Other roles have the names that people gave. */
    roles: {
      Administrator: { name: 'Administrator', about: 'May do everything, also manage users, API keys and webhooks.' },
      Member: { name: 'Member', about: 'Works with GPTs and their documents, and searches.' },
      Reader: { name: 'Reader', about: 'Reads GPTs and documents, and searches. Changes nothing.' },
    },
  },
  de: {
    roles: {
      Administrator: {
        name: 'Administrator',
        about: 'Darf alles, auch Benutzer, API-Schlüssel und Webhooks verwalten.',
      },
      Member: { name: 'Mitglied', about: 'Arbeitet mit GPTs und ihren Dokumenten und sucht darin.' },
      Reader: { name: 'Leser', about: 'Liest GPTs und Dokumente und sucht darin. Ändert nichts.' },
    },
  },
})

interface RoleNames {
  readonly nameOf: (role: { readonly id: number; readonly name: string }) => string
  /** A sentence about a role of every installation. */
  readonly aboutOf: (role: { readonly id: number; readonly name: string }) => string | undefined
}

/** Functions that name roles in the language of the user. */
export function useRoleNames(): RoleNames {
  const { roles } = useTexts(TEXTS)
  const { data } = useRoles()
  const knownOf = ({ id, name }: { readonly id: number; readonly name: string }) => {
    // A company may have a role of its own with the same name.
    const isOfAll = data?.some((role) => role.id === id && role.customerId === null) ?? false
    return isOfAll ? phraseOf(roles, name) : undefined
  }
  return { nameOf: (role) => knownOf(role)?.name ?? role.name, aboutOf: (role) => knownOf(role)?.about }
}

/** A function that names the roles by which a user may do something. */
export function useRolesText(): (user: Pick<User, 'permissions'>) => string {
  const { noPermissions } = useTexts(PEOPLE_TEXTS)
  const { nameOf } = useRoleNames()
  return ({ permissions }) => {
    const active = permissions.filter(({ disabled }) => !disabled)
    return [...new Set(active.map(({ role }) => nameOf(role)))].join(', ') || noPermissions
  }
}

/** A function that names an application in the language of the user. */
export function useApplicationName(): (technical: string) => string {
  const applications = useTexts(APPLICATION_NAMES)
  return (technical) => phraseOf(applications, technical.toLowerCase()) ?? technical
}

/** A function that says what a role may do. */
export function useCapabilityText(): (capability: string) => string {
  const { capabilities } = useTexts(ROLE_TEXTS)
  return (capability) => phraseOf(capabilities, capability) ?? capability
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

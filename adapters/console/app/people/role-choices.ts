import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../api/api.js'
import { useTexts } from '../texts/language.js'
import type { Choice } from '../ui/fields.js'
import { ROLE_TEXTS } from './role-texts.js'
import type { OptionItem } from './use-options.js'

export type Role = Schema<'Role'>

/** The system-wide roles, and those of the companies in reach. The API has no pages of them. */
export function useRoles(): UseQueryResult<readonly Role[]> {
  const api = useApi()
  return useQuery({
    queryKey: ['people', 'roles'],
    queryFn: async ({ signal }) => await dataOf(api.GET('/tenant/roles', { signal })),
  })
}

/** A function that says what a role may do. */
export function useCapabilityText(): (capability: string) => string {
  const { capabilities } = useTexts(ROLE_TEXTS)
  return (capability) => capabilities[capability] ?? capability
}

/** A function that turns options into choices that say what each role may do. */
export function useRoleChoices(): (roles: readonly OptionItem[]) => readonly Choice<string>[] {
  const { data } = useRoles()
  const textOf = useCapabilityText()
  return (items) =>
    items.map(({ value, title }) => {
      const role = data?.find(({ id }) => id === value)
      return {
        value: String(value),
        label: title,
        ...(role !== undefined && { hint: role.capabilities.map(textOf).join(' · ') }),
      }
    })
}

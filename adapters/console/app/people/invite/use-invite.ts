import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useErrorText } from '../../api/error-texts.js'
import { useTexts } from '../../texts/phrases.js'
import { toast } from '../../ui/toasts.js'
import type { PermissionDraft } from '../permissions/permission-steps.js'
import type { OptionItem } from '../use-options.js'
import type { User } from '../use-users.js'
import { INVITE_TEXTS } from './invite-texts.js'

/** The account on which every new user of a company gets a role, with the roles that the caller may give. */
interface FirstRoles {
  readonly account: number
  readonly roles: readonly OptionItem[]
}

/** The value of the application for GPTs. Values of applications are stable. */
const ASSISTANT = 1
const LONG_MS = 30_000

/** The choices for the first permission; null for a company without an account for GPTs. */
export function useFirstRoles(companyId: number | undefined): UseQueryResult<FirstRoles | null> {
  const api = useApi()
  return useQuery({
    queryKey: ['people', 'first-roles', companyId],
    enabled: companyId !== undefined,
    queryFn: async ({ signal }): Promise<FirstRoles | null> => {
      const query = { ...(companyId !== undefined && { cid: companyId }) }
      const type = ASSISTANT
      const { regions } = await dataOf(
        api.GET('/permission/options/{type}', { params: { query, path: { type } }, signal }),
      )
      // The engine takes the oldest account.
      let oldest: { readonly region: number; readonly account: number } | undefined
      for (const { value: region } of regions) {
        const params = { query, path: { type, region } }
        const { accounts } = await dataOf(api.GET('/permission/options/{type}/{region}', { params, signal }))
        for (const { value: account } of accounts) {
          if (oldest === undefined || account < oldest.account) oldest = { region, account }
        }
      }
      if (oldest === undefined) return null
      const params = { query, path: { type, ...oldest } }
      const { roles } = await dataOf(api.GET('/permission/options/{type}/{region}/{account}', { params, signal }))
      return { account: oldest.account, roles }
    },
  })
}

interface Invitation {
  readonly user: {
    readonly email: string
    readonly firstName: string
    readonly lastName: string
    readonly customerId: number
    readonly invite: boolean
  }
  /** The wanted role on the account of {@link useFirstRoles}. */
  readonly first: { readonly account: number; readonly role: number } | undefined
  readonly second: PermissionDraft | undefined
}

/**
 * Adds a user, gives the permissions, and opens the page of the user.
 *
 * @param onAdded called before the page navigates
 */
export function useInvite(
  onAdded: () => void,
): UseMutationResult<{ readonly user: User; readonly failure: unknown }, Error, Invitation> {
  const api = useApi()
  const texts = useTexts(INVITE_TEXTS)
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: async ({ user: input, first, second }: Invitation) => {
      const user = await dataOf(api.POST('/tenant/user', { body: { ...input, email: input.email.trim() } }))
      // The user exists from now on: a second try would only say so.
      try {
        const given = user.permissions.find(({ account }) => account.id === first?.account)
        if (given !== undefined && first !== undefined && given.role.id !== first.role) {
          await dataOf(api.PUT('/permission', { body: { id: given.id, appRoleId: first.role } }))
        }
        if (second?.account !== undefined && second.role !== undefined) {
          const body = { userIdentityId: user.id, appAccountId: second.account, appRoleId: second.role }
          await dataOf(api.POST('/permission', { body }))
        }
        return { user, failure: undefined }
      } catch (failure) {
        return { user, failure }
      }
    },
    onSuccess: ({ user, failure }, { user: { invite } }) => {
      if (failure !== undefined) toast({ text: texts.half(errorText(failure)) }, LONG_MS)
      void queries.invalidateQueries({ queryKey: ['people'] })
      onAdded()
      navigate(`/people/users/${user.id}?added=${invite ? 'invited' : 'silently'}`)
    },
  })
}

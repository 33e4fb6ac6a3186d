import { Fragment, type ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { useCompanyName } from '../use-companies.js'
import { isServiceUser, type UserDetails } from '../use-users.js'
import { USER_TEXTS } from '../user-texts.js'

export function UserFacts({ user }: { readonly user: UserDetails }): ReactElement {
  const texts = useTexts(USER_TEXTS)
  const format = useFormat()
  const companyName = useCompanyName()
  const isPerson = !isServiceUser(user)
  const facts: readonly (readonly [string, string])[] = [
    [texts.firstName, user.firstName || '–'],
    [texts.lastName, user.lastName || '–'],
    [texts.email, user.email || texts.none],
    [texts.company, companyName(user.customerId)],
    ...(user.externalId === null ? [] : ([[texts.externalId, user.externalId]] as const)),
    [texts.created, format.time(user.createdAt)],
    [texts.lastAccess, user.lastAccess === null ? texts.never : format.time(user.lastAccess)],
    ...(isPerson
      ? ([
          [texts.password, user.hasPassword ? texts.hasPassword : texts.noPassword],
          [texts.otp, user.otpMethod === 'none' ? texts.noOtp : texts.hasOtp],
        ] as const)
      : []),
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

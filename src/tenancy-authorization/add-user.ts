import type { Clock, Repositories, Storage, UserRecord } from '../ports/index.js'
import { NotFoundError } from '../shared/errors.js'
import { idSchema, objectSchema, textSchema, validate } from '../shared/validate.js'
import { type EmailAddress, parseEmailAddress } from './email-address.js'
import { toUser, type User } from './records.js'
import { ensureSystemRole, MEMBER } from './system-roles.js'

const NAME = textSchema({ max: 255 }).optional()
const SCHEMA = objectSchema({
  email: textSchema({ max: 320 }),
  companyId: idSchema(),
  firstName: NAME,
  lastName: NAME,
  name: NAME,
})

export interface NewUser {
  readonly email: string
  readonly companyId: number
  readonly firstName?: string
  readonly lastName?: string
  /** Full name; split at its last space where first and last name are empty. */
  readonly name?: string
}

/** Who does something, as `createdBy` records it. */
export interface Actor {
  readonly id: number
  readonly email: string
}

/** Adds a user to a company, with the role Member on the company's assistant account. */
export class AddUser {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @throws InvalidInputError
   * @throws NotFoundError where there is no such company
   * @throws AlreadyExistsError where the address is known, in whichever company
   */
  async execute(input: NewUser, actor: Actor): Promise<User> {
    const { email, companyId, ...names } = validate(SCHEMA, input)
    const address = parseEmailAddress(email)
    return await this.#storage.transaction(async (repositories) => {
      if ((await repositories.companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      const created = this.#clock.now().toISOString()
      const user = await insertUser(repositories, { companyId, address, created, ...splitName(names) })
      const accounts = await repositories.accounts.list({ companyId })
      const assistant = accounts.find(({ application }) => application === 'assistant')
      if (assistant !== undefined) {
        const role = await ensureSystemRole(repositories, MEMBER)
        await repositories.permissions.insert({
          userId: user.id,
          accountId: assistant.id,
          roleId: role.id,
          isDisabled: false,
          created,
          createdBy: JSON.stringify(actor),
          lastAccess: null,
        })
      }
      return toUser(user)
    })
  }
}

/** Inserts a user without any permission. */
export async function insertUser(
  { users }: Repositories,
  user: { readonly companyId: number; readonly address: EmailAddress; readonly created: string } & FullName,
): Promise<UserRecord> {
  const { address, ...rest } = user
  return await users.insert({ ...rest, ...address, lastAccess: null })
}

export interface FullName {
  readonly firstName: string
  readonly lastName: string
  readonly name: string
}

function splitName(names: {
  firstName?: string | undefined
  lastName?: string | undefined
  name?: string | undefined
}): FullName {
  const { firstName = '', lastName = '', name = '' } = names
  const full = name.trim()
  if (firstName !== '' || lastName !== '') {
    return { firstName, lastName, name: full === '' ? `${firstName} ${lastName}`.trim() : full }
  }
  const space = full.lastIndexOf(' ')
  if (space < 0) return { firstName: full, lastName: '', name: full }
  return { firstName: full.slice(0, space).trim(), lastName: full.slice(space + 1), name: full }
}

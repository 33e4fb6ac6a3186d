import { AlreadyInitializedError } from '../kernel/errors.js'
import { objectSchema, textSchema, validate } from '../kernel/validate.js'
import type { Clock, Repositories, Storage } from '../ports/index.js'
import type { Principal } from './access/principal.js'
import { type Reach, UNLIMITED } from './access/reach.js'
import { ensureSystemRole, grantAdministrator, SYSTEM_ROLES } from './access/roles.js'
import { insertCompany } from './companies.js'
import { insertApiKey, TARGETS } from './tokens/api-keys.js'
import { type EmailAddress, insertUser, parseEmailAddress } from './users/identity.js'

const SCHEMA = objectSchema({
  companyName: textSchema({ min: 1, max: 255, isLine: true }).default('Root company'),
  ownerEmail: textSchema({ max: 320 }).default('owner@localhost'),
})

const OWNER_SETTING = 'owner'

export interface InitializeInput {
  /** Name of the root company. */
  readonly companyName?: string
  readonly ownerEmail?: string
}

/** The result of `init`. The secret cannot be read a second time. */
export interface InitializeResult {
  readonly clientId: string
  readonly clientSecret: string
  readonly companyId: number
  readonly userId: number
}

/**
 * The root company and the address of the owner, with the defaults.
 *
 * @param root name of the input in error messages; default none
 * @throws InvalidInputError
 */
export function parseInitial(
  input: InitializeInput,
  root = '',
): { readonly companyName: string; readonly address: EmailAddress } {
  const { companyName, ownerEmail } = validate(SCHEMA, input, root)
  const field = root === '' ? 'ownerEmail' : `${root}.ownerEmail`
  return { companyName, address: parseEmailAddress(ownerEmail, field) }
}

/** Creates the root company, its accounts, the system-wide roles and the owner. */
export class Initialize {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly reach: Reach = UNLIMITED,
  ) {}

  /** The owner as principal, or `undefined` before the first initialisation. */
  async findOwner(): Promise<Principal | undefined> {
    return await this.storage.read(readOwner)
  }

  /** The owner as principal. Creates the owner and the root company if they do not exist. */
  async ensureOwner(input: InitializeInput = {}): Promise<Principal> {
    return await this.storage.transaction(async (repositories) => await this.#ensureOwner(repositories, input))
  }

  /**
   * Creates the missing parts, and the first API key.
   *
   * @throws InvalidInputError
   * @throws AlreadyInitializedError if an API key exists; nothing changes then
   */
  async execute(input: InitializeInput = {}): Promise<InitializeResult> {
    parseInitial(input)
    return await this.storage.transaction(async (repositories) => {
      if ((await repositories.apiKeys.list()).length > 0) {
        const owner = await readOwner(repositories)
        throw new AlreadyInitializedError(
          'this data folder is initialised already, and the secret of its API key cannot be shown a second time: ' +
            `"alcove key create --company ${owner?.companyId ?? 'ID'}" makes another key`,
        )
      }
      const { companyId, userId } = await this.#ensureOwner(repositories, input)
      const created = this.clock.now().toISOString()
      const key = await insertApiKey(
        repositories,
        { companyId, userId, targets: TARGETS, sight: 'account', expires: null, created },
        this.reach.by,
      )
      return { clientId: key.clientId, clientSecret: key.clientSecret, companyId, userId }
    })
  }

  async #ensureOwner(repositories: Repositories, input: InitializeInput): Promise<Principal> {
    const existing = await readOwner(repositories)
    if (existing !== undefined) return existing
    const { companyName, address } = parseInitial(input)
    const created = this.clock.now().toISOString()
    const company = await insertCompany(repositories, { name: companyName, parentId: null, created }, this.reach.by)
    const names = { firstName: 'Owner', lastName: '', name: 'Owner' }
    const user = await insertUser(
      repositories,
      { companyId: company.id, address, externalId: null, created, ...names },
      this.reach.by,
    )
    for (const role of SYSTEM_ROLES) await ensureSystemRole(repositories, role)
    await grantAdministrator(repositories, user, created, this.reach)
    const accounts = await repositories.accounts.list({ companyId: company.id })
    const accountId = accounts.find(({ application }) => application === 'assistant')?.id ?? 0
    const owner: Principal = { companyId: company.id, userId: user.id, accountId, sight: 'account' }
    await repositories.settings.put(OWNER_SETTING, JSON.stringify(owner))
    return owner
  }
}

/** The owner as principal, or `undefined` before the first initialisation. */
export async function readOwner({ settings }: Repositories): Promise<Principal | undefined> {
  const stored = await settings.get(OWNER_SETTING)
  return stored === undefined ? undefined : (JSON.parse(stored) as Principal)
}

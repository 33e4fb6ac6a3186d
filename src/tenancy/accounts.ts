import { type AuditActor, recordChange } from '../audit/index.js'
import { errorReason, InUseError, NotFoundError } from '../kernel/errors.js'
import { choiceSchema, idSchema, objectSchema, parseId, textSchema, validate } from '../kernel/validate.js'
import type { Clock, Repositories, Storage } from '../ports/index.js'
import type { Reach } from './access/reach.js'
import { Rights } from './access/rights.js'
import { insertAccount } from './companies.js'
import { readOwner } from './initialize.js'
import { type Account, APPLICATION_KEYS, toAccount } from './records.js'

export interface NewAccount {
  readonly companyId: number
  /** Key of the application. */
  readonly application: string
  /** Name of the region. A new name creates the region. */
  readonly region: string
  readonly name: string
}

/**
 * Deletes the contexts of accounts and users that are deleted. The module `contexts` implements it, because `tenancy`
 * must not import that module.
 */
export interface ContextRemoval {
  /**
   * Enqueues the job that deletes the contexts of an account, one after the other, with their documents. The caller's
   * transaction deletes the account, and that alone hides the contexts. Each context gets an entry in the audit trail.
   */
  removeOfAccount(repositories: Repositories, accountId: number, by: AuditActor): Promise<void>
  /**
   * Deletes the contexts that a user created, in all accounts, with their documents. The caller's transaction makes
   * them inaccessible; jobs remove the files. Each context gets an entry in the audit trail.
   */
  removeMadeBy(repositories: Repositories, userId: number, by: AuditActor): Promise<void>
}

const SCHEMA = objectSchema({
  companyId: idSchema(),
  application: choiceSchema(APPLICATION_KEYS),
  region: textSchema({ min: 1, max: 100, isLine: true }),
  name: textSchema({ min: 1, max: 255, isLine: true }),
})

/** Accounts of companies. Only the host creates, disables and deletes them. */
export class Accounts {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly contexts: ContextRemoval,
  ) {}

  /**
   * @throws InvalidInputError
   * @throws NotFoundError if the company does not exist
   */
  async create(input: NewAccount, { by }: Pick<Reach, 'by'>): Promise<Account> {
    const { companyId, application, region, name } = validate(SCHEMA, input)
    return await this.storage.transaction(async (repositories) => {
      const { companies, regions } = repositories
      if ((await companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      const { id: regionId } = await regions.ensure(region)
      const created = this.clock.now().toISOString()
      const account = await insertAccount(repositories, { companyId, application, regionId, name, created }, by)
      return toAccount(account, region)
    })
  }

  /** All accounts, ordered by id. */
  async list(): Promise<Account[]> {
    return await this.storage.read(async ({ accounts, regions }) => {
      const regionNames = new Map((await regions.list()).map(({ id, name }) => [id, name]))
      return (await accounts.list()).map((account) => toAccount(account, regionNames.get(account.regionId) ?? ''))
    })
  }

  /** Disables or enables an account. The engine refuses every principal of a disabled one. @throws NotFoundError */
  async setActive(accountId: number, isActive: boolean, { by }: Pick<Reach, 'by'>): Promise<Account> {
    const id = parseId(accountId, 'id')
    await this.storage.transaction(async (repositories) => {
      const account = await repositories.accounts.get(id)
      if (account === undefined) throw new NotFoundError('account', id)
      await repositories.accounts.setActive(id, isActive)
      await recordChange(repositories, by, this.clock.now(), {
        action: isActive ? 'account.enabled' : 'account.disabled',
        companyId: account.companyId,
        targetId: id,
        details: {},
      })
    })
    const account = (await this.list()).find((item) => item.id === id)
    if (account === undefined) throw new NotFoundError('account', id)
    return account
  }

  /**
   * Deletes an account, all permissions on it, and its contexts with their documents.
   *
   * @param reach the host's own
   * @throws NotFoundError
   * @throws InUseError for the account in which the owner of the installation acts
   */
  async delete(accountId: number, reach: Reach): Promise<void> {
    const id = parseId(accountId, 'id')
    await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const rights = await Rights.of(repositories, reach, now)
      if ((await readOwner(repositories))?.accountId === id) {
        throw new InUseError(
          `the owner of this installation acts in the account ${id}: it cannot be deleted`,
          errorReason('account-of-owner', { account: id }),
        )
      }
      const { companyId } = await rights.revokeAllOnAccount(id)
      await this.contexts.removeOfAccount(repositories, id, reach.by)
      await repositories.accounts.remove(id, now.toISOString())
      await recordChange(repositories, reach.by, now, {
        action: 'account.deleted',
        companyId,
        targetId: id,
        details: {},
      })
    })
  }
}

import { type AuditActor, recordChange, recordChanges } from '../audit/index.js'
import { errorReason, InUseError, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { pages, RowList } from '../kernel/lists.js'
import { idSchema, objectSchema, parseId, textSchema, validate } from '../kernel/validate.js'
import type { AccountRecord, Clock, CompanyRecord, Repositories, Storage } from '../ports/index.js'
import { type Reach, withinFilter } from './access/reach.js'
import { Rights } from './access/rights.js'
import { cancelLinks } from './mail-queue.js'
import { APPLICATIONS, type Company, DEFAULT_REGION, toCompany } from './records.js'

export interface NewCompany {
  readonly name: string
  readonly parentId: number
}

const SCHEMA = objectSchema({ name: textSchema({ min: 1, max: 255, isLine: true }), parentId: idSchema() })

/** The job that removes the data of a deleted company: contexts with their documents, events and their deliveries. */
export const PURGE_COMPANY = 'purge-company'

const ROWS_PER_PAGE = 500

/** Companies form a tree. Only the host creates, moves, disables and deletes them. */
export class Companies {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a company below its parent, with one account of each application.
   *
   * @throws InvalidInputError
   * @throws NotFoundError if the parent does not exist
   */
  async create(input: NewCompany, { by }: Pick<Reach, 'by'>): Promise<Company> {
    const { name, parentId } = validate(SCHEMA, input)
    return await this.storage.transaction(async (repositories) => {
      await requireExisting(repositories, parentId)
      return await insertCompany(repositories, { name, parentId, created: this.clock.now().toISOString() }, by)
    })
  }

  /** All companies; the root first: for the host. */
  async listAll(): Promise<Company[]> {
    return (await this.storage.read(({ companies }) => companies.list())).map(toCompany)
  }

  /**
   * The companies within reach, ordered by id. The topmost one has no parent here: it may not learn the company above.
   *
   * @param authorize returns the caller's reach of this moment
   */
  list(authorize: () => Promise<Reach>): RowList<Company> {
    return new RowList({
      read: async (page) => {
        const reach = await authorize()
        const records = await this.storage.read(({ companies }) => companies.list(withinFilter(reach), page))
        return records.map((company) =>
          toCompany(company.id === reach.companyId ? { ...company, parentId: null } : company),
        )
      },
      ids: async (page) => {
        const filter = withinFilter(await authorize())
        return await this.storage.read(({ companies }) => companies.listIds(filter, page))
      },
    })
  }

  /**
   * Puts a company, with all companies below it, under another parent.
   *
   * @throws InvalidInputError for the root, and if the move would make a cycle
   * @throws NotFoundError if either company does not exist
   */
  async move(companyId: number, parentId: number, { by }: Pick<Reach, 'by'>): Promise<Company> {
    const id = parseId(companyId, 'id')
    const newParentId = parseId(parentId, 'parentId')
    return await this.storage.transaction(async (repositories) => {
      const { companies } = repositories
      const company = await requireExisting(repositories, id)
      await requireExisting(repositories, newParentId)
      if (company.parentId === null) throw new InvalidInputError('id', 'the root company cannot be moved')
      if (await companies.isWithin(newParentId, id)) {
        throw new InvalidInputError('parentId', `company ${newParentId} lies below company ${id} itself`)
      }
      await companies.setParent(id, newParentId)
      await recordChange(repositories, by, this.clock.now(), {
        action: 'company.moved',
        companyId: id,
        targetId: id,
        details: { oldParentId: company.parentId, newParentId },
      })
      return toCompany({ ...company, parentId: newParentId })
    })
  }

  /**
   * Disables or enables a company. A second call with the same value changes nothing.
   *
   * - The engine refuses at once every principal that acts for a disabled company, belongs to it, or acts on one of
   *   its accounts. Companies below it keep working.
   * - Disabling cancels the links of mails to its users, and ends their logins and tokens for good. Enabling brings none
   *   of them back.
   * - Events of a disabled company are still recorded. Its destinations receive nothing.
   *
   * @throws NotFoundError
   * @throws InUseError for the root
   */
  async setDisabled(companyId: number, isDisabled: boolean, { by }: Pick<Reach, 'by'>): Promise<Company> {
    const id = parseId(companyId, 'id')
    return await this.storage.transaction(async (repositories) => {
      const company = await requireExisting(repositories, id)
      if (isDisabled) {
        if (company.parentId === null)
          throw new InUseError(
            'the root company cannot be disabled: the owner acts for it',
            errorReason('company-is-root'),
          )
        await cancelLinks(repositories, { companyId: id })
      }
      if (company.isDisabled !== isDisabled) await repositories.companies.setDisabled(id, isDisabled)
      await recordChange(repositories, by, this.clock.now(), {
        action: isDisabled ? 'company.disabled' : 'company.enabled',
        companyId: id,
        targetId: id,
        details: {},
      })
      return toCompany({ ...company, isDisabled })
    })
  }

  /**
   * Deletes a company with everything that belongs to it. The transaction makes all of it inaccessible; a job removes
   * the data that may be large.
   *
   * @param reach the host's own
   * @throws NotFoundError
   * @throws InUseError for the root, and for a company that has companies below it
   */
  async delete(companyId: number, reach: Reach): Promise<void> {
    const id = parseId(companyId, 'id')
    await this.storage.transaction(async (repositories) => {
      const now = this.clock.now()
      const { parentId } = await requireDeletable(repositories, id)
      const rights = await Rights.of(repositories, reach, now)
      await rights.revokeAllOfCompany(id)
      await recordForeignKeyRevocations(repositories, id, reach.by, now)
      await removeRows(repositories, id, now.toISOString())
      await repositories.jobs.enqueue({ kind: PURGE_COMPANY, subject: id })
      await recordChange(repositories, reach.by, now, {
        action: 'company.deleted',
        companyId: id,
        targetId: id,
        details: { parentId },
      })
    })
  }
}

/** Inserts a company and its accounts. */
export async function insertCompany(
  repositories: Repositories,
  company: { readonly name: string; readonly parentId: number | null; readonly created: string },
  by: AuditActor,
): Promise<Company> {
  const { companies, regions } = repositories
  const inserted = await companies.insert(company)
  const { id: companyId, parentId, name, created } = inserted
  await recordChange(repositories, by, new Date(created), {
    action: 'company.created',
    companyId,
    targetId: companyId,
    details: { parentId },
  })
  const { id: regionId } = await regions.ensure(DEFAULT_REGION)
  for (const { key: application } of APPLICATIONS)
    await insertAccount(repositories, { companyId, application, regionId, name, created }, by)
  return toCompany(inserted)
}

/** Inserts an active account. */
export async function insertAccount(
  repositories: Repositories,
  account: Omit<AccountRecord, 'id' | 'isActive'>,
  by: AuditActor,
): Promise<AccountRecord> {
  const inserted = await repositories.accounts.insert({ ...account, isActive: true })
  const { id: targetId, companyId, created } = inserted
  await recordChange(repositories, by, new Date(created), {
    action: 'account.created',
    companyId,
    targetId,
    details: {},
  })
  return inserted
}

/** @throws NotFoundError */
async function requireExisting({ companies }: Repositories, id: number): Promise<CompanyRecord> {
  const company = await companies.get(id)
  if (company === undefined) throw new NotFoundError('company', id)
  return company
}

/** @throws NotFoundError @throws InUseError */
async function requireDeletable(repositories: Repositories, id: number): Promise<CompanyRecord> {
  const company = await requireExisting(repositories, id)
  if (company.parentId === null) {
    throw new InUseError('the root company cannot be deleted: the owner acts for it', errorReason('company-is-root'))
  }
  const children = (await repositories.companies.list()).filter(({ parentId }) => parentId === id).length
  if (children === 0) return company
  throw new InUseError(
    children === 1
      ? `the company ${id} has 1 company below it: delete or move that one first`
      : `the company ${id} has ${children} companies below it: delete or move them first`,
    errorReason('company-has-companies', { company: id, count: children }),
  )
}

/** Records in other companies' audit trails that they lose the API keys that act for users of the deleted company. */
async function recordForeignKeyRevocations(
  repositories: Repositories,
  companyId: number,
  by: AuditActor,
  now: Date,
): Promise<void> {
  const { apiKeys } = repositories
  for await (const keys of pages(ROWS_PER_PAGE, async (page) => await apiKeys.listAbroad(companyId, page))) {
    const changes = keys.map(({ id, companyId: owner, userId }) => {
      return { action: 'api-key.revoked', companyId: owner, targetId: id, details: { userId } } as const
    })
    await recordChanges(repositories, by, now, changes)
  }
}

/** Removes the rows that decide about rights, and all personal data. */
async function removeRows(repositories: Repositories, companyId: number, deleted: string): Promise<void> {
  const { accounts, apiKeys, companies, oneTimePasswords, permissions, roles, users } = repositories
  await cancelLinks(repositories, { companyId })
  await apiKeys.deleteOf({ companyId })
  for (const { id } of await accounts.list({ companyId })) await accounts.remove(id, deleted)
  await roles.deleteOfCompany(companyId)
  await oneTimePasswords.removeOf({ companyId })
  await permissions.eraseCreators({ companyId })
  await users.erase({ companyId }, deleted)
  await companies.remove(companyId, deleted)
}

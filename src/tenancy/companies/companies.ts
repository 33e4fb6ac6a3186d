import { type AuditActor, recordChange, recordChanges } from '../../audit/index.js'
import { InUseError, InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { pages } from '../../kernel/lists.js'
import { idSchema, objectSchema, parseId, textSchema, validate } from '../../kernel/validate.js'
import type { Clock, CompanyRecord, Repositories, Storage } from '../../ports/index.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { endLinks } from '../mail/mail-queue.js'
import { APPLICATIONS, type Company, DEFAULT_REGION, toCompany } from '../records.js'

const SCHEMA = objectSchema({ name: textSchema({ min: 1, max: 255, isLine: true }), parentId: idSchema() })

export interface NewCompany {
  readonly name: string
  readonly parentId: number
}

/** Makes a company below another, with one account of each application. */
export class CreateCompany {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @throws InvalidInputError
   * @throws NotFoundError where there is no such parent
   */
  async execute(input: NewCompany, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<Company> {
    const { name, parentId } = validate(SCHEMA, input)
    return await this.#storage.transaction(async (repositories) => {
      if ((await repositories.companies.get(parentId)) === undefined) throw new NotFoundError('company', parentId)
      return await insertCompany(repositories, { name, parentId, created: this.#clock.now().toISOString() }, by)
    })
  }
}

/** Inserts a company and its accounts. */
export async function insertCompany(
  repositories: Repositories,
  company: { readonly name: string; readonly parentId: number | null; readonly created: string },
  by: AuditActor,
): Promise<Company> {
  const { companies, regions, accounts } = repositories
  const now = new Date(company.created)
  const inserted = await companies.insert(company)
  const { id: companyId, parentId } = inserted
  await recordChange(repositories, by, now, {
    action: 'company.created',
    companyId,
    targetId: companyId,
    details: { parentId },
  })
  const region = await regions.ensure(DEFAULT_REGION)
  for (const application of APPLICATIONS) {
    const account = await accounts.insert({
      companyId,
      application: application.key,
      regionId: region.id,
      name: company.name,
      isActive: true,
      created: company.created,
    })
    await recordChange(repositories, by, now, {
      action: 'account.created',
      companyId,
      targetId: account.id,
      details: {},
    })
  }
  return toCompany(inserted)
}

/**
 * Disables or enables a company: the host's own to do. Whoever acts for a disabled company, belongs to it or acts on an
 * account of it is refused at once. Companies below it go on.
 */
export class DisableCompany {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Disabling ends the links of mails to its users. Its events are recorded still, and its destinations get nothing.
   * Doing it twice changes nothing.
   *
   * @throws NotFoundError @throws InUseError for the root
   */
  async execute(companyId: number, isDisabled: boolean, { by }: Pick<Reach, 'by'>): Promise<Company> {
    const id = parseId(companyId, 'id')
    return await this.#storage.transaction(async (repositories) => {
      const company = await repositories.companies.get(id)
      if (company === undefined) throw new NotFoundError('company', id)
      if (isDisabled) {
        if (company.parentId === null)
          throw new InUseError('the root company cannot be disabled: the owner acts for it')
        await endLinks(repositories, { companyId: id })
      }
      await repositories.companies.setDisabled(id, isDisabled)
      await recordChange(repositories, by, this.#clock.now(), {
        action: isDisabled ? 'company.disabled' : 'company.enabled',
        companyId: id,
        targetId: id,
        details: {},
      })
      return toCompany({ ...company, isDisabled })
    })
  }
}

/** The job that removes what is left of a deleted company: contexts with their documents, events and their deliveries. */
export const PURGE_COMPANY = 'purge-company'

const ROWS_AT_ONCE = 500

/** Deletes a company with everything of it: at once for everybody who looks, what may be large by a job. */
export class DeleteCompany {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @param reach the host's own
   * @throws NotFoundError @throws InUseError for the root, and for a company that has companies below it
   */
  async execute(companyId: number, reach: Reach): Promise<void> {
    const id = parseId(companyId, 'id')
    await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const company = await requireUnused(repositories, id)
      await (await Rights.of(repositories, reach, now)).endCompany(id)
      await recordKeysAbroad(repositories, id, reach.by, now)
      await removeRows(repositories, id, now.toISOString())
      await repositories.jobs.enqueue({ kind: PURGE_COMPANY, subject: id })
      await recordChange(repositories, reach.by, now, {
        action: 'company.deleted',
        companyId: id,
        targetId: id,
        details: { parentId: company.parentId },
      })
    })
  }
}

async function requireUnused({ companies }: Repositories, id: number): Promise<CompanyRecord> {
  const company = await companies.get(id)
  if (company === undefined) throw new NotFoundError('company', id)
  if (company.parentId === null) throw new InUseError('the root company cannot be deleted: the owner acts for it')
  const below = (await companies.list()).filter(({ parentId }) => parentId === id).length
  if (below === 0) return company
  const there = below === 1 ? 'is 1 company' : `are ${below} companies`
  throw new InUseError(`there ${there} below the company ${id}: first delete what is below, or move it`)
}

/** Other companies lose keys that acted for users of this one: their audit trails tell of it. */
async function recordKeysAbroad(
  repositories: Repositories,
  companyId: number,
  by: AuditActor,
  now: Date,
): Promise<void> {
  const { apiKeys } = repositories
  for await (const keys of pages(ROWS_AT_ONCE, async (page) => await apiKeys.listAbroad(companyId, page))) {
    const changes = keys.map(({ id, companyId: owner, userId }) => {
      return { action: 'api-key.revoked', companyId: owner, targetId: id, details: { userId } } as const
    })
    await recordChanges(repositories, by, now, changes)
  }
}

/** Everything that decides who may do what, and everything that is known of people. */
async function removeRows(repositories: Repositories, companyId: number, deleted: string): Promise<void> {
  const { accounts, apiKeys, companies, oneTimePasswords, permissions, roles, users } = repositories
  await endLinks(repositories, { companyId })
  await apiKeys.deleteOf({ companyId })
  for (const { id } of await accounts.list({ companyId })) await accounts.remove(id, deleted)
  await roles.deleteOfCompany(companyId)
  await oneTimePasswords.removeOf({ companyId })
  await permissions.eraseCreators({ companyId })
  await users.erase({ companyId }, deleted)
  await companies.remove(companyId, deleted)
}

/** Puts a company, with all below it, under another parent. */
export class MoveCompany {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @throws InvalidInputError for the root, and where a cycle would come of it
   * @throws NotFoundError where either company does not exist
   */
  async execute(companyId: number, parentId: number, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<Company> {
    const id = parseId(companyId, 'id')
    const parent = parseId(parentId, 'parentId')
    return await this.#storage.transaction(async (repositories) => {
      const { companies } = repositories
      const company = await companies.get(id)
      if (company === undefined) throw new NotFoundError('company', id)
      if ((await companies.get(parent)) === undefined) throw new NotFoundError('company', parent)
      if (company.parentId === null) throw new InvalidInputError('id', 'the root company cannot be moved')
      if (await companies.isWithin(parent, id)) {
        throw new InvalidInputError('parentId', `company ${parent} lies below company ${id} itself`)
      }
      await companies.setParent(id, parent)
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'company.moved',
        companyId: id,
        targetId: id,
        details: { oldParentId: company.parentId, newParentId: parent },
      })
      return toCompany({ ...company, parentId: parent })
    })
  }
}

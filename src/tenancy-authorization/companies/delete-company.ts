import { type AuditActor, recordChange, recordChanges } from '../../audit/index.js'
import type { Clock, CompanyRecord, Repositories, Storage } from '../../ports/index.js'
import { InUseError, NotFoundError } from '../../shared/errors.js'
import { pages } from '../../shared/pages.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import { endLinks } from '../mail/end-links.js'

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

import { type AuditActor, recordChange } from '../../audit/index.js'
import type { Clock, Repositories, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { idSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { APPLICATIONS, DEFAULT_REGION } from '../application.js'
import { type Company, toCompany } from '../records.js'

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

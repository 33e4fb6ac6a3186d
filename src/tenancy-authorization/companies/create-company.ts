import type { Clock, Repositories, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { idSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
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
  async execute(input: NewCompany): Promise<Company> {
    const { name, parentId } = validate(SCHEMA, input)
    return await this.#storage.transaction(async (repositories) => {
      if ((await repositories.companies.get(parentId)) === undefined) throw new NotFoundError('company', parentId)
      return await insertCompany(repositories, { name, parentId, created: this.#clock.now().toISOString() })
    })
  }
}

/** Inserts a company and its accounts. */
export async function insertCompany(
  { companies, regions, accounts }: Repositories,
  company: { readonly name: string; readonly parentId: number | null; readonly created: string },
): Promise<Company> {
  const inserted = await companies.insert(company)
  const region = await regions.ensure(DEFAULT_REGION)
  for (const application of APPLICATIONS) {
    await accounts.insert({
      companyId: inserted.id,
      application: application.key,
      regionId: region.id,
      name: company.name,
      isActive: true,
      created: company.created,
    })
  }
  return toCompany(inserted)
}

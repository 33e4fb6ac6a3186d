import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { type Company, toCompany } from '../records.js'

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

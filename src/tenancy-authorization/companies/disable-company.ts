import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InUseError, NotFoundError } from '../../shared/errors.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import { endLinks } from '../mail/end-links.js'
import { type Company, toCompany } from '../records.js'

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

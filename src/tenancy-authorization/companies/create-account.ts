import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { choiceSchema, idSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { APPLICATION_KEYS } from '../application.js'
import { type Account, toAccount } from '../records.js'

const SCHEMA = objectSchema({
  companyId: idSchema(),
  application: choiceSchema(APPLICATION_KEYS),
  region: textSchema({ min: 1, max: 100, isLine: true }),
  name: textSchema({ min: 1, max: 255, isLine: true }),
})

export interface NewAccount {
  readonly companyId: number
  /** Key of the application. */
  readonly application: string
  /** Name of the region; made if it is new. */
  readonly region: string
  readonly name: string
}

/** Makes an account of an application for a company. */
export class CreateAccount {
  readonly #storage: Storage
  readonly #clock: Clock

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * @throws InvalidInputError
   * @throws NotFoundError where there is no such company
   */
  async execute(input: NewAccount, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<Account> {
    const { companyId, application, region, name } = validate(SCHEMA, input)
    return await this.#storage.transaction(async (repositories) => {
      const { companies, regions, accounts } = repositories
      if ((await companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      const { id: regionId } = await regions.ensure(region)
      const now = this.#clock.now()
      const created = now.toISOString()
      const account = await accounts.insert({ companyId, application, regionId, name, isActive: true, created })
      await recordChange(repositories, by, now, {
        action: 'account.created',
        companyId,
        targetId: account.id,
        details: {},
      })
      return toAccount(account, region)
    })
  }
}

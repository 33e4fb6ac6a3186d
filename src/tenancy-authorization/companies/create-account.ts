import type { Clock, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { choiceSchema, idSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
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
  async execute(input: NewAccount): Promise<Account> {
    const { companyId, application, region, name } = validate(SCHEMA, input)
    return await this.#storage.transaction(async ({ companies, regions, accounts }) => {
      if ((await companies.get(companyId)) === undefined) throw new NotFoundError('company', companyId)
      const { id: regionId } = await regions.ensure(region)
      const created = this.#clock.now().toISOString()
      return toAccount(
        await accounts.insert({ companyId, application, regionId, name, isActive: true, created }),
        region,
      )
    })
  }
}

import { recordChange } from '../../audit/index.js'
import { InUseError, NotFoundError } from '../../kernel/errors.js'
import { choiceSchema, idSchema, objectSchema, parseId, textSchema, validate } from '../../kernel/validate.js'
import type { Clock, Storage } from '../../ports/index.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { Rights } from '../access/rights.js'
import type { ContextRemoval } from '../context-removal.js'
import { readOwner } from '../initialize.js'
import { type Account, APPLICATION_KEYS, toAccount } from '../records.js'

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

/** Deletes an account: nobody has a right on it any more, and its contexts go with their documents. */
export class DeleteAccount {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #contexts: ContextRemoval

  constructor(storage: Storage, clock: Clock, contexts: ContextRemoval) {
    this.#storage = storage
    this.#clock = clock
    this.#contexts = contexts
  }

  /**
   * @param reach the host's own
   * @throws NotFoundError @throws InUseError for the account that the owner of the installation acts in
   */
  async execute(accountId: number, reach: Reach): Promise<void> {
    const id = parseId(accountId, 'id')
    await this.#storage.transaction(async (repositories) => {
      const now = this.#clock.now()
      const rights = await Rights.of(repositories, reach, now)
      if ((await readOwner(repositories))?.accountId === id) {
        throw new InUseError(`the owner of this installation acts in the account ${id}: it stays`)
      }
      const { companyId } = await rights.endAccount(id)
      await this.#contexts.removeOfAccount(repositories, id, reach.by)
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

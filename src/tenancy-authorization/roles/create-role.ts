import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { InvalidInputError, NotFoundError } from '../../shared/errors.js'
import { choiceSchema, idSchema, listSchema, objectSchema, textSchema, validate } from '../../shared/validate.js'
import { CAPABILITIES } from '../access/capability.js'
import { type Reach, UNLIMITED } from '../access/reach.js'
import { APPLICATION_KEYS } from '../application.js'
import { type Role, toRole } from '../records.js'

const SCHEMA = objectSchema({
  name: textSchema({ min: 1, max: 255, isLine: true }),
  applications: listSchema(choiceSchema(APPLICATION_KEYS), APPLICATION_KEYS.length),
  capabilities: listSchema(choiceSchema(CAPABILITIES), CAPABILITIES.length),
  companyId: idSchema().optional(),
})

export interface NewRole {
  readonly name: string
  /** Keys of the applications it is valid for; at least one. */
  readonly applications: readonly string[]
  /** At least one. */
  readonly capabilities: readonly string[]
  /** Omitted, the role is system-wide. */
  readonly companyId?: number
}

/** Makes a role of a company, or a system-wide one. */
export class CreateRole {
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
  async execute(input: NewRole, { by }: Pick<Reach, 'by'> = UNLIMITED): Promise<Role> {
    const { name, applications, capabilities, companyId } = validate(SCHEMA, input)
    if (applications.length === 0) throw new InvalidInputError('applications', 'must name at least one application')
    if (capabilities.length === 0) throw new InvalidInputError('capabilities', 'must name at least one capability')
    return await this.#storage.transaction(async (repositories) => {
      const { companies, roles } = repositories
      if (companyId !== undefined && (await companies.get(companyId)) === undefined) {
        throw new NotFoundError('company', companyId)
      }
      const role = await roles.insert({
        companyId: companyId ?? null,
        name,
        applications: [...new Set(applications)],
        capabilities: [...new Set(capabilities)],
      })
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'role.created',
        companyId: role.companyId,
        targetId: role.id,
        details: { capabilities: role.capabilities.join(' ') },
      })
      return toRole(role)
    })
  }
}

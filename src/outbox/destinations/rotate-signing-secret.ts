import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import type { SecretBox } from '../../shared/secret-box.js'
import { parseId } from '../../shared/validate.js'
import type { Reach } from '../../tenancy-authorization/index.js'
import { type DestinationWithSecret, toDestination } from '../records.js'
import { newSigningSecret } from './create-destination.js'
import { changeDestination } from './find-destination.js'

/** Gives a destination another signing secret; the next attempt is signed with it. */
export class RotateSigningSecret {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #secretBox: SecretBox

  constructor(storage: Storage, clock: Clock, secretBox: SecretBox) {
    this.#storage = storage
    this.#clock = clock
    this.#secretBox = secretBox
  }

  /** @returns with the new secret, this once @throws InvalidInputError @throws NotFoundError */
  async execute(destinationId: number, reach: Reach): Promise<DestinationWithSecret> {
    const id = parseId(destinationId, 'id')
    const secret = newSigningSecret()
    const sealedSecret = await this.#secretBox.seal(secret)
    return await this.#storage.transaction(async (repositories) => {
      const changes = { sealedSecret, updated: this.#clock.now().toISOString() }
      const changed = await changeDestination(repositories, reach, id, changes)
      await recordChange(repositories, reach.by, this.#clock.now(), {
        action: 'destination.secret-rotated',
        companyId: changed.companyId,
        targetId: id,
        details: {},
      })
      return { ...toDestination(changed), secret }
    })
  }
}

import type { z } from 'zod'
import { recordChange } from '../../audit/index.js'
import type { Clock, Storage } from '../../ports/index.js'
import { NotFoundError } from '../../shared/errors.js'
import { closedObjectSchema, parseId, textSchema, validate } from '../../shared/validate.js'
import type { Reach } from '../access/reach.js'
import type { OtpSecrets } from './otp-secrets.js'

const LABEL: z.ZodType<OneTimePasswordLabel> = closedObjectSchema({
  issuer: textSchema({ min: 1, max: 100, isLine: true }).optional(),
})

export interface OneTimePasswordLabel {
  /** The service, as the authenticator app shows it: 1 to 100 characters; default the name of the user's company. */
  readonly issuer?: string | undefined
}

/** What a user needs to set up an authenticator app. It is shown this once. */
export interface OneTimePasswordSetup {
  /** 160 random bits in base32, to be typed where no QR code can be read. */
  readonly secret: string
  /** The same as `otpauth://totp/…`, to be shown as a QR code. */
  readonly uri: string
}

/** Makes a secret that waits to be confirmed. */
export class BeginOneTimePassword {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #secrets: OtpSecrets

  constructor(storage: Storage, clock: Clock, secrets: OtpSecrets) {
    this.#storage = storage
    this.#clock = clock
    this.#secrets = secrets
  }

  /** @throws InvalidInputError @throws NotFoundError */
  async execute(userId: number, label: OneTimePasswordLabel | undefined, { by }: Reach): Promise<OneTimePasswordSetup> {
    const id = parseId(userId, 'id')
    const { issuer } = validate(LABEL, label ?? {}, 'label')
    const { user, company } = await this.#storage.read(async ({ users, companies }) => {
      const found = await users.get(id)
      if (found === undefined) throw new NotFoundError('user', id)
      return { user: found, company: await companies.get(found.companyId) }
    })
    const named = { issuer: issuer ?? company?.name ?? '', account: user.email }
    const { secret, uri, sealed } = await this.#secrets.create(named)
    await this.#storage.transaction(async (repositories) => {
      if ((await repositories.users.get(id)) === undefined) throw new NotFoundError('user', id)
      await repositories.oneTimePasswords.putPending(id, sealed)
      await recordChange(repositories, by, this.#clock.now(), {
        action: 'otp.begun',
        companyId: user.companyId,
        targetId: id,
        details: {},
      })
    })
    return { secret, uri }
  }
}

import { SecretUnreadableError } from '../../kernel/errors.js'
import type { SecretBox } from '../../kernel/secret-box.js'
import type { Clock, OneTimePasswords, Telemetry } from '../../ports/index.js'
import { normalizeCode } from './recovery-codes.js'

/** Steps of 30 s. Clocks of phones differ, and codes take time to type (RFC 6238, section 5.2). */
const STEPS_OF_DRIFT = 1

/** Creates secrets of one-time passwords, and compares codes with them. Stored secrets are sealed. */
export class OtpSecrets {
  readonly #algorithm: OneTimePasswords
  readonly #secretBox: SecretBox
  readonly #clock: Clock
  readonly #telemetry: Telemetry

  constructor(algorithm: OneTimePasswords, secretBox: SecretBox, clock: Clock, telemetry: Telemetry) {
    this.#algorithm = algorithm
    this.#secretBox = secretBox
    this.#clock = clock
    this.#telemetry = telemetry
  }

  async create(label: {
    readonly issuer: string
    readonly account: string
  }): Promise<{ readonly secret: string; readonly uri: string; readonly sealed: string }> {
    const secret = await this.#algorithm.createSecret()
    const uri = await this.#algorithm.uriOf({ ...label, secret })
    return { secret, uri, sealed: await this.#secretBox.seal(secret) }
  }

  /**
   * The time step whose code the user entered; `undefined` for a wrong code.
   * @throws SecretUnreadableError if the secret was altered; telemetry gets the error too
   */
  async stepOf(userId: number, sealed: string, entered: string): Promise<number | undefined> {
    const secret = await this.#open(userId, sealed)
    return await this.#algorithm.stepOf(secret, normalizeCode(entered), this.#clock.now(), STEPS_OF_DRIFT)
  }

  async #open(userId: number, sealed: string): Promise<string> {
    try {
      return await this.#secretBox.open(sealed)
    } catch (cause) {
      const error = new SecretUnreadableError(
        `the secret of the one-time passwords of user ${userId} cannot be decrypted: ` +
          'disable the one-time passwords of this user, and set them up again',
        { cause },
      )
      this.#telemetry.record({ name: 'otp.secret.unreadable', level: 'error', fields: { userId }, error })
      throw error
    }
  }
}

import { SecretUnreadableError } from '../../kernel/errors.js'
import type { SecretBox } from '../../kernel/secret-box.js'
import type { Clock, OneTimePasswords, Telemetry } from '../../ports/index.js'
import { normalCode } from './recovery-codes.js'

/** Clocks of phones differ, and codes take time to type (RFC 6238, section 5.2). */
const STEPS_OF_DRIFT = 1

/** Makes secrets of one-time passwords, and compares codes with them. A secret leaves it sealed. */
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
   * The time step whose code somebody has entered; `undefined` for a wrong code.
   * @throws SecretUnreadableError, which is in the log too, where the secret was altered
   */
  async stepOf(userId: number, sealed: string, entered: string): Promise<number | undefined> {
    const secret = await this.#open(userId, sealed)
    return await this.#algorithm.stepOf(secret, normalCode(entered), this.#clock.now(), STEPS_OF_DRIFT)
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

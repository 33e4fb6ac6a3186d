import type { User } from '../records.js'
import type { OneTimePasswordLabel, OneTimePasswordSetup } from './begin-one-time-password.js'
import type { RecoveryCodes } from './recovery-codes.js'

/** One-time passwords of users, by the host's own hand. All throw NotFoundError for an unknown user. */
export interface OneTimePasswordOperations {
  /**
   * Makes a secret, to be shown to the user once, as a QR code of its URI. Nothing changes for logins until it is
   * confirmed: a secret in use stays in use. A second call makes another secret in place of the one that waits.
   *
   * @throws InvalidInputError
   */
  begin(id: number, label?: OneTimePasswordLabel): Promise<OneTimePasswordSetup>
  /**
   * Puts the secret in use, by a code that the app shows for it: from now on a login needs a code. Earlier recovery
   * codes end.
   *
   * @throws InvalidInputError where the code is wrong, and where no secret waits
   */
  confirm(id: number, code: string): Promise<RecoveryCodes>
  /**
   * Makes recovery codes in place of all earlier ones.
   * @throws InvalidInputError where the user has no secret in use
   */
  renewRecoveryCodes(id: number): Promise<RecoveryCodes>
  /** Removes the secret and the recovery codes: the password alone is enough again. Does nothing where there are none. */
  disable(id: number): Promise<User>
}

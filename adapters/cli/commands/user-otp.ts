import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printResult } from '../output.js'

const USER = ['<id>', 'id of the user', parseId] as const
const RECOVERY_CODES_TITLE = 'Recovery codes, each for one login. Save them now: they are not shown a second time.'
export function userOtpCommand(): CommandUnknownOpts {
  const otp = new Command('otp').description('manage the one-time passwords that a login needs besides the password')
  otp
    .command('begin')
    .description('create a secret for an authenticator app; logins change only after "confirm"')
    .argument(...USER)
    .addOption(option('--issuer <name>', "name of the service in the app; default: the user's company", 'otp'))
    .action(async (id, { issuer }, command) => {
      const options = globalOptions(command)
      const setup = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.begin(id, issuer === undefined ? {} : { issuer })
      })
      printResult(options, setup, [
        `Secret (not shown a second time): ${setup.secret}`,
        `URI for a QR code: ${setup.uri}`,
        `Then run "alcove user otp confirm ${id} CODE" with the code in the app.`,
      ])
    })
  otp
    .command('confirm')
    .description('require one-time passwords from now on; needs a code from the app')
    .argument(...USER)
    .argument('<code>', '6 digits from the app')
    .action(async (id, code, _given, command) => {
      const options = globalOptions(command)
      const codes = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.confirm(id, code)
      })
      const done = `From now on user ${id} needs a one-time password.`
      printResult(options, codes, [done, RECOVERY_CODES_TITLE, ...codes.recoveryCodes])
    })
  otp
    .command('recovery-codes')
    .description('replace all recovery codes of a user by new ones')
    .argument(...USER)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const codes = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.renewRecoveryCodes(id)
      })
      printResult(options, codes, [RECOVERY_CODES_TITLE, ...codes.recoveryCodes])
    })
  otp
    .command('disable')
    .description('require only the password, for example after the user lost the phone')
    .argument(...USER)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const user = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.disable(id)
      })
      printResult(options, user, `User ${id} no longer needs a one-time password.`)
    })
  return otp
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printResult } from '../output.js'

const USER = ['<id>', 'the user', parseId] as const
const ONCE = 'Recovery codes, each for one login, shown this once:'

/** One-time passwords of users: the second factor of the password check. */
export function userOtpCommand(): CommandUnknownOpts {
  const otp = new Command('otp').description('one-time passwords, which a login needs beside the password')
  otp
    .command('begin')
    .description('make a secret for an authenticator app; nothing changes until it is confirmed')
    .argument(...USER)
    .addOption(option('--issuer <name>', "the service, as the app shows it (default: the user's company)", 'otp'))
    .action(async (id, { issuer }, command) => {
      const options = globalOptions(command)
      const setup = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.begin(id, issuer === undefined ? {} : { issuer })
      })
      printResult(options, setup, [
        `Secret, shown this once: ${setup.secret}`,
        `As a QR code: ${setup.uri}`,
        `Then run "alcove user otp confirm ${id} CODE" with the code that the app shows.`,
      ])
    })
  otp
    .command('confirm')
    .description('require one-time passwords from now on, by a code that the app shows')
    .argument(...USER)
    .argument('<code>', '6 digits')
    .action(async (id, code, _given, command) => {
      const options = globalOptions(command)
      const codes = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.confirm(id, code)
      })
      const done = `User ${id} needs a one-time password from now on.`
      printResult(options, codes, [done, ONCE, ...codes.recoveryCodes])
    })
  otp
    .command('recovery-codes')
    .description('make recovery codes in place of all earlier ones')
    .argument(...USER)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const codes = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.renewRecoveryCodes(id)
      })
      printResult(options, codes, [ONCE, ...codes.recoveryCodes])
    })
  otp
    .command('disable')
    .description('require the password alone again, such as after a phone was lost')
    .argument(...USER)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const user = await withDatabase(options, async ({ administration }) => {
        return await administration.users.oneTimePassword.disable(id)
      })
      printResult(options, user, `User ${id} needs no one-time password.`)
    })
  return otp
}

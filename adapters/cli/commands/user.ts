import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { InvalidInputError, NotFoundError, type User } from '../../../src/index.js'
import { clearAway, withDatabase, withEngineOrDatabase } from '../engines/engines.js'
import { globalOptions, MAIL_OPTIONS, mailSettings, option, parseId } from '../options.js'
import { counted, printList, printRecord, printResult } from '../output/output.js'
import { disablingCommands } from './lifecycle.js'

const USER = ['<id>', 'id of the user', parseId] as const
const RECOVERY_CODES_TITLE = 'Recovery codes, each for one login. Save them now: they are not shown a second time.'

export function userCommand(): CommandUnknownOpts {
  const user = new Command('user').description('manage users of companies')
  user
    .command('add')
    .description("add a user, with the role Member on the company's assistant account, and invite them by mail")
    .argument('<email>')
    .addOption(option('--company <id>', 'company of the user').argParser(parseId).makeOptionMandatory())
    .addOption(option('--name <name>', 'full name of the user', 'user'))
    .addOption(option('--external-id <id>', 'id of the user in your own login', 'user'))
    .addOption(option('--no-invite', 'send no invitation', 'user'))
    .addOption(MAIL_OPTIONS.publicUrl())
    .addOption(MAIL_OPTIONS.smtpUrl())
    .addOption(MAIL_OPTIONS.mailFrom())
    .addOption(MAIL_OPTIONS.setupUrl())
    .action(async (email, given, command) => {
      const options = globalOptions(command)
      const { company, name, externalId, invite } = given
      const added = await withDatabase(
        options,
        async ({ administration }) => {
          return await administration.users.add({ email, companyId: company, name, externalId, invite })
        },
        mailSettings(given),
      )
      printResult(options, added, `Added user ${added.id}, ${added.email}.`)
    })
  user
    .command('complete-setup')
    .description('complete the setup of a user without a mail, if the host checks passwords itself')
    .argument(...USER)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const completed = await withDatabase(options, async ({ administration }) => {
        return await administration.users.completeSetup(id)
      })
      printResult(options, completed, `Completed the setup of user ${completed.id}, ${completed.email}.`)
    })
  user
    .command('list')
    .description('list the users')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const users = await withDatabase(options, async ({ administration }) => await administration.users.list())
      printList<User>(options, users, [
        'id',
        'email',
        'name',
        'customerId',
        'hasPassword',
        'otpMethod',
        'disabled',
        'createdAt',
      ])
    })
  user
    .command('show')
    .description('show a user by id, address or external id')
    .argument('[id]', 'id of the user', parseId)
    .addOption(option('--email <address>', 'address of the user, instead of the id', 'user'))
    .addOption(option('--external-id <id>', 'id of the user in your own login, instead of the id', 'user'))
    .addOption(option('--company <id>', 'company of the user').argParser(parseId))
    .action(async (id, { email, externalId, company }, command) => {
      const options = globalOptions(command)
      const found = await withDatabase(options, async ({ administration }) => {
        if ([id, email, externalId].filter((name) => name !== undefined).length !== 1)
          throw new InvalidInputError('user', 'give exactly one of an id, --email and --external-id')
        const shown = await administration.users.find({ id, email, externalId, companyId: company })
        if (shown === undefined) throw new NotFoundError('user', id ?? email ?? externalId ?? '')
        return shown
      })
      printRecord(options, found)
    })
  user
    .command('hand-over')
    .description('give the contexts of a user, who may be deleted, to another user')
    .argument(...USER)
    .addOption(option('--to <id>', 'user who gets the contexts', 'hand-over').argParser(parseId).makeOptionMandatory())
    .addOption(option('--account <id>', 'only contexts of this account').argParser(parseId))
    .action(async (id, { to, account }, command) => {
      const options = globalOptions(command)
      const given = await withDatabase(options, async ({ administration }) => {
        return await administration.contexts.handOverAll(id, { toUserId: to, accountId: account })
      })
      printResult(options, given, `Gave ${counted(given.contextIds.length, 'context')} of user ${id} to user ${to}.`)
    })
  for (const command of disablingCommands('user', ({ users }) => users)) user.addCommand(command)
  user
    .command('delete')
    .description('delete a user and erase their personal data')
    .argument(...USER)
    .addOption(
      option('--contexts <what>', 'keep or delete the contexts that the user created', 'user-delete')
        .choices(['keep', 'delete'] as const)
        .default('keep'),
    )
    .action(async (id, { contexts }, command) => {
      const options = globalOptions(command)
      if (contexts === 'delete') {
        await withEngineOrDatabase(options, async (engine) => {
          await engine.administration.users.delete(id, { contexts })
          await clearAway(engine)
        })
      } else {
        await withDatabase(options, async ({ administration }) => {
          await administration.users.delete(id)
        })
      }
      printResult(options, {}, `Deleted user ${id}.`)
    })
  user.addCommand(userOtpCommand())
  return user
}

function userOtpCommand(): CommandUnknownOpts {
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

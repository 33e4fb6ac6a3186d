import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { User } from '../../../src/index.js'
import { clearAway } from '../clear-away.js'
import { withDatabase, withEngineOrDatabase } from '../engines.js'
import { MAIL_OPTIONS, mailSettings } from '../mail-settings.js'
import { globalOptions, option, parseId } from '../options.js'
import { printList, printResult } from '../output.js'
import { disablingCommands } from './lifecycle.js'
import { userOtpCommand } from './user-otp.js'

export function userCommand(): CommandUnknownOpts {
  const user = new Command('user').description('manage users of companies')
  user
    .command('add')
    .description("add a user, with the role Member on the company's assistant account, and invite them by mail")
    .argument('<email>')
    .addOption(option('--company <id>', 'company of the user').argParser(parseId).makeOptionMandatory())
    .addOption(option('--name <name>', 'full name of the user', 'user'))
    .addOption(MAIL_OPTIONS.publicUrl())
    .addOption(MAIL_OPTIONS.smtpUrl())
    .addOption(MAIL_OPTIONS.mailFrom())
    .addOption(MAIL_OPTIONS.setupUrl())
    .action(async (email, given, command) => {
      const options = globalOptions(command)
      const { company, name } = given
      const added = await withDatabase(
        options,
        async ({ administration }) => {
          return await administration.users.add({ email, companyId: company, ...(name !== undefined && { name }) })
        },
        mailSettings(given),
      )
      printResult(options, added, `Added user ${added.id}, ${added.email}.`)
    })
  user
    .command('complete-setup')
    .description('complete the setup of a user without a mail, if the host checks passwords itself')
    .argument('<id>', 'id of the user', parseId)
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
  for (const command of disablingCommands('user', ({ users }) => users)) user.addCommand(command)
  user
    .command('delete')
    .description('delete a user and erase their personal data')
    .argument('<id>', 'id of the user', parseId)
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

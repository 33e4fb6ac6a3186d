import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { User } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printList, printResult } from '../output.js'

export function userCommand(): CommandUnknownOpts {
  const user = new Command('user').description('users of companies')
  user
    .command('add')
    .description("add a user, with the role Member on the company's assistant account")
    .argument('<email>')
    .addOption(option('--company <id>', 'their company').argParser(parseId).makeOptionMandatory())
    .action(async (email, { company }, command) => {
      const options = globalOptions(command)
      const added = await withDatabase(options, async ({ administration }) => {
        return await administration.users.add({ email, companyId: company })
      })
      printResult(options, added, `Added user ${added.id}, ${added.email}.`)
    })
  user
    .command('list')
    .description('list the users')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const users = await withDatabase(options, async ({ administration }) => await administration.users.list())
      printList<User>(options, users, ['id', 'email', 'name', 'customerId', 'createdAt'])
    })
  return user
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Role } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId, parseList } from '../options.js'
import { printList, printResult } from '../output.js'
import { disablingCommands } from './lifecycle.js'

export function roleCommand(): CommandUnknownOpts {
  const role = new Command('role').description('manage roles: sets of capabilities')
  role
    .command('create')
    .description('create a role; without --company it is system-wide')
    .argument('<name>')
    .addOption(
      option('--applications <keys>', 'applications that the role is valid for, separated by commas')
        .argParser(parseList)
        .makeOptionMandatory(),
    )
    .addOption(
      option('--capabilities <list>', 'capabilities that the role grants, separated by commas')
        .argParser(parseList)
        .makeOptionMandatory(),
    )
    .addOption(option('--company <id>', 'company of the role').argParser(parseId))
    .action(async (name, { applications, capabilities, company }, command) => {
      const options = globalOptions(command)
      const created = await withDatabase(options, async ({ administration }) => {
        const scope = company === undefined ? {} : { companyId: company }
        return await administration.roles.create({ name, applications, capabilities, ...scope })
      })
      printResult(options, created, `Created role ${created.id}, ${created.name}.`)
    })
  role
    .command('list')
    .description('list the roles')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const roles = await withDatabase(options, async ({ administration }) => await administration.roles.list())
      printList<Role>(options, roles, ['id', 'name', 'customerId', 'applications', 'capabilities', 'disabled'])
    })
  for (const command of disablingCommands('role', ({ roles }) => roles)) role.addCommand(command)
  role
    .command('delete')
    .description('delete a role that no permission uses')
    .argument('<id>', 'id of the role', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      await withDatabase(options, async ({ administration }) => {
        await administration.roles.delete(id)
      })
      printResult(options, {}, `Deleted role ${id}.`)
    })
  return role
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Permission } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printList, printResult } from '../output.js'

export function permissionCommand(): CommandUnknownOpts {
  const permission = new Command('permission').description('manage permissions: roles of users on accounts')
  permission
    .command('grant')
    .description('give a user a role on an account')
    .addOption(option('--user <id>', 'id of the user').argParser(parseId).makeOptionMandatory())
    .addOption(option('--account <id>', 'id of the account').argParser(parseId).makeOptionMandatory())
    .addOption(option('--role <id>', 'id of the role').argParser(parseId).makeOptionMandatory())
    .action(async ({ user, account, role }, command) => {
      const options = globalOptions(command)
      const granted = await withDatabase(options, async ({ administration }) => {
        return await administration.permissions.grant({ userIdentityId: user, appAccountId: account, appRoleId: role })
      })
      printResult(options, granted, `Granted permission ${granted.id}.`)
    })
  permission
    .command('list')
    .description('list the permissions')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const permissions = await withDatabase(options, async ({ administration }) => {
        return await administration.permissions.list()
      })
      printList<Permission>(options, permissions, ['id', 'userIdentityId', 'appAccountId', 'appRoleId', 'disabled'])
    })
  permission
    .command('toggle')
    .description('disable a permission, or enable a disabled one')
    .argument('<id>', 'id of the permission', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const toggled = await withDatabase(options, async ({ administration }) => {
        return await administration.permissions.toggle(id)
      })
      printResult(options, toggled, `Permission ${toggled.id} is ${toggled.disabled ? 'disabled' : 'enabled'}.`)
    })
  permission
    .command('revoke')
    .description('remove a permission')
    .argument('<id>', 'id of the permission', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      await withDatabase(options, async ({ administration }) => {
        await administration.permissions.revoke(id)
      })
      printResult(options, {}, `Revoked permission ${id}.`)
    })
  return permission
}

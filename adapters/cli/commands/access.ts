import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { ApiKey, Permission, Role } from '../../../src/index.js'
import { withDatabase } from '../engines/engines.js'
import { globalOptions, option, parseId, parseList } from '../options.js'
import { printList, printResult } from '../output/output.js'
import { disablingCommands } from './lifecycle.js'

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

export function keyCommand(): CommandUnknownOpts {
  const key = new Command('key').description('manage API keys, and the key that signs access tokens')
  key
    .command('create')
    .description('create an API key; its secret is shown only once')
    .addOption(option('--company <id>', 'company that the key may access').argParser(parseId).makeOptionMandatory())
    .addOption(option('--user <id>', 'user for whom the key acts; default: a new service user').argParser(parseId))
    .addOption(option('--targets <list>', 'APIs that the key may use: assistant, tenant, or both').argParser(parseList))
    .addOption(
      option('--sight <whose>', "contexts that the key sees: all of its account, or the user's own and shared ones")
        .choices(['account', 'user'] as const)
        .default('account' as const),
    )
    .addOption(option('--expires <date>', 'date on which the key expires, such as 2030-01-31'))
    .action(async ({ company, user, targets, sight, expires }, command) => {
      const options = globalOptions(command)
      const created = await withDatabase(options, async ({ administration }) => {
        return await administration.apiKeys.create({
          companyId: company,
          sight,
          ...(user !== undefined && { userId: user }),
          ...(targets !== undefined && { targets: targets as ('assistant' | 'tenant')[] }),
          ...(expires !== undefined && { expires }),
        })
      })
      printResult(options, created, [
        `API key ${created.id}: client id ${created.clientId}`,
        `           secret    ${created.clientSecret}`,
        'Save the secret now: it is not shown a second time.',
      ])
    })
  key
    .command('list')
    .description('list the API keys')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const keys = await withDatabase(options, async ({ administration }) => await administration.apiKeys.list())
      printList<ApiKey>(options, keys, [
        'id',
        'clientId',
        'companyId',
        'userId',
        'targets',
        'sight',
        'expires',
        'revoked',
      ])
    })
  key
    .command('revoke')
    .description('revoke an API key and its access tokens at once')
    .argument('<id>', 'id of the key', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const revoked = await withDatabase(options, async ({ administration }) => {
        return await administration.apiKeys.revoke(id)
      })
      printResult(options, revoked, `Revoked API key ${id}.`)
    })
  key
    .command('rotate-signing')
    .description('create a new key that signs access tokens; the old one stays valid for 900 seconds')
    .addOption(option('--signing-key-file <file>', 'file with the keys that sign access tokens'))
    .action(async ({ signingKeyFile }, command) => {
      const options = globalOptions(command)
      const rotated = await withDatabase(
        options,
        async ({ administration }) => await administration.rotateSigningKey(),
        signingKeyFile === undefined ? {} : { signingKeyFile },
      )
      printResult(options, rotated, `From now on the key ${rotated.kid} signs access tokens.`)
    })
  return key
}

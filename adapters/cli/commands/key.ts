import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { ApiKey } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId, parseList } from '../options.js'
import { printList, printResult } from '../output.js'

export function keyCommand(): CommandUnknownOpts {
  const key = new Command('key').description('manage API keys, and the key that signs access tokens')
  key
    .command('create')
    .description('create an API key; its secret is shown only once')
    .addOption(option('--company <id>', 'company that the key may access').argParser(parseId).makeOptionMandatory())
    .addOption(option('--user <id>', 'user for whom the key acts; default: a new service user').argParser(parseId))
    .addOption(option('--targets <list>', 'APIs that the key may use: assistant, tenant, or both').argParser(parseList))
    .addOption(option('--expires <date>', 'date on which the key expires, such as 2030-01-31'))
    .action(async ({ company, user, targets, expires }, command) => {
      const options = globalOptions(command)
      const created = await withDatabase(options, async ({ administration }) => {
        return await administration.apiKeys.create({
          companyId: company,
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
      printList<ApiKey>(options, keys, ['id', 'clientId', 'companyId', 'userId', 'targets', 'expires', 'revoked'])
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

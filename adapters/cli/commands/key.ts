import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { ApiKey } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId, parseList } from '../options.js'
import { printList, printResult } from '../output.js'

export function keyCommand(): CommandUnknownOpts {
  const key = new Command('key').description('API keys, and the key that signs access tokens')
  key
    .command('create')
    .description('make an API key; its secret is shown this once')
    .addOption(option('--company <id>', 'the company it reaches').argParser(parseId).makeOptionMandatory())
    .addOption(option('--user <id>', 'for whom it acts; default: a service user made for it').argParser(parseId))
    .addOption(option('--targets <list>', 'assistant, tenant, or both').argParser(parseList))
    .addOption(option('--expires <date>', 'when it ends, such as 2030-01-31'))
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
        'The secret is shown this once.',
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
    .description('end an API key, and its tokens, at once')
    .argument('<id>', 'the key', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const revoked = await withDatabase(options, async ({ administration }) => {
        return await administration.apiKeys.revoke(id)
      })
      printResult(options, revoked, `Revoked API key ${id}.`)
    })
  key
    .command('rotate-signing')
    .description('make a new key that signs access tokens; the old one stays valid for 900 seconds')
    .addOption(option('--signing-key-file <file>', 'keys that sign access tokens'))
    .action(async ({ signingKeyFile }, command) => {
      const options = globalOptions(command)
      const rotated = await withDatabase(
        options,
        async ({ administration }) => await administration.rotateSigningKey(),
        signingKeyFile === undefined ? {} : { signingKeyFile },
      )
      printResult(options, rotated, `Access tokens are signed by the key ${rotated.kid} from now on.`)
    })
  return key
}

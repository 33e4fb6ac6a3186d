import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Account } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printList, printResult } from '../output.js'
import { clearingDeletion } from './lifecycle.js'

export function accountCommand(): CommandUnknownOpts {
  const account = new Command('account').description('manage accounts: access of companies to applications')
  account
    .command('create')
    .description('create an account of an application for a company')
    .addOption(option('--company <id>', 'company of the account').argParser(parseId).makeOptionMandatory())
    .addOption(option('--application <key>', 'application: assistant, tenant or builder').makeOptionMandatory())
    .addOption(option('--region <name>', 'region of the account; created if it is new').makeOptionMandatory())
    .addOption(option('--name <name>', 'name of the account', 'account').makeOptionMandatory())
    .action(async ({ company, application, region, name }, command) => {
      const options = globalOptions(command)
      const created = await withDatabase(options, async ({ administration }) => {
        return await administration.accounts.create({ companyId: company, application, region, name })
      })
      printResult(options, created, `Created account ${created.id}, ${created.name}.`)
    })
  account
    .command('list')
    .description('list the accounts')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const accounts = await withDatabase(options, async ({ administration }) => await administration.accounts.list())
      printList<Account>(options, accounts, ['id', 'customerId', 'application', 'region', 'name', 'active'])
    })
  account.addCommand(activeCommand('enable', true))
  account.addCommand(activeCommand('disable', false))
  account.addCommand(
    clearingDeletion('account', 'an account with its contexts and documents', async ({ accounts }, id) => {
      await accounts.delete(id)
    }),
  )
  return account
}

function activeCommand(name: 'enable' | 'disable', active: boolean): CommandUnknownOpts {
  return new Command(name)
    .description(`${name} an account`)
    .argument('<id>', 'id of the account', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const account = await withDatabase(options, async ({ administration }) => {
        return await administration.accounts.setActive(id, active)
      })
      printResult(options, account, `${active ? 'Enabled' : 'Disabled'} account ${account.id}.`)
    })
}

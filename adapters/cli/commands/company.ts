import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Account, Company } from '../../../src/index.js'
import { withDatabase } from '../engines/engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printList, printResult } from '../output/output.js'
import { clearingDeletion, disablingCommands } from './lifecycle.js'

export function companyCommand(): CommandUnknownOpts {
  const company = new Command('company').description('manage companies, which form a tree')
  company
    .command('create')
    .description('create a company below another, with an account of each application')
    .argument('<name>')
    .addOption(option('--parent <id>', 'company above it').argParser(parseId).makeOptionMandatory())
    .action(async (name, { parent }, command) => {
      const options = globalOptions(command)
      const created = await withDatabase(options, async ({ administration }) => {
        return await administration.companies.create({ name, parentId: parent })
      })
      printResult(options, shown(created), `Created company ${created.id}, ${created.name}.`)
    })
  company
    .command('list')
    .description('list the companies, the root first')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const companies = await withDatabase(options, async ({ administration }) => await administration.companies.list())
      printList<Shown>(options, companies.map(shown), ['id', 'name', 'parentId', 'disabled'])
    })
  company
    .command('move')
    .description('move a company, with all companies below it, under another')
    .argument('<id>', 'id of the company', parseId)
    .addOption(option('--parent <id>', 'new company above it').argParser(parseId).makeOptionMandatory())
    .action(async (id, { parent }, command) => {
      const options = globalOptions(command)
      const moved = await withDatabase(options, async ({ administration }) => {
        return await administration.companies.move(id, parent)
      })
      printResult(options, shown(moved), `Moved company ${moved.id} below company ${parent}.`)
    })
  for (const command of disablingCommands('company', ({ companies }) => companies)) company.addCommand(command)
  company.addCommand(
    clearingDeletion('company', 'a company with all its data', async ({ companies }, id) => {
      await companies.delete(id)
    }),
  )
  return company
}

/** A company as it is printed: `disabled` is left out if it is false. */
type Shown = Omit<Company, 'disabled'> & { readonly disabled?: boolean }

function shown({ disabled, ...company }: Company): Shown {
  return disabled ? { ...company, disabled } : company
}

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

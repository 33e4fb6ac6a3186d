import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Company } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printList, printResult } from '../output.js'
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

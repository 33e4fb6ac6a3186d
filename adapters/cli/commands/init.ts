import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import {
  type Engine,
  type InitializeInput,
  type InitializeResult,
  InvalidInputError,
  NotInitializedError,
} from '../../../src/index.js'
import { COMMAND_LINE, isInitialized, withDatabase } from '../engines.js'
import { loadLocal } from '../loading.js'
import { type GlobalOptions, globalOptions, option } from '../options.js'
import { printResult } from '../output.js'

export function initCommand(): CommandUnknownOpts {
  return new Command('init')
    .description('make the data folder: root company, owner and the first API key')
    .addOption(option('--company <name>', 'name of the root company', 'init'))
    .addOption(option('--owner-email <address>', 'e-mail address of the owner'))
    .action(async ({ company, ownerEmail }, command) => {
      const options = globalOptions(command)
      const initial = {
        ...(company !== undefined && { companyName: company }),
        ...(ownerEmail !== undefined && { ownerEmail }),
      }
      const result = (await initializeExisting(options, initial)) ?? (await initializeNew(options, initial))
      printResult(options, result, [
        `Initialised ${options.dataDir}.`,
        `API key: client id ${result.clientId}`,
        `         secret    ${result.clientSecret}`,
        'The secret is shown this once.',
      ])
    })
}

/** A folder that exists may have an engine working on it: then the database is enough. */
async function initializeExisting(
  options: GlobalOptions,
  initial: InitializeInput,
): Promise<InitializeResult | undefined> {
  if (!(await isInitialized(options))) return undefined
  try {
    return await withDatabase(options, async (engine) => {
      await refuseOtherNames(engine, initial)
      return await engine.initialize(initial)
    })
  } catch (error) {
    // An earlier start ended between the database and its owner: there is nothing yet that could be in use.
    if (error instanceof NotInitializedError) return undefined
    throw error
  }
}

/** A host that opened the folder has named its company and owner: other names would be without effect. */
async function refuseOtherNames({ owner, administration }: Engine, initial: InitializeInput): Promise<void> {
  const { companyName, ownerEmail } = initial
  // That there is a key already is told by init itself.
  if ((await administration.apiKeys.list()).length > 0) return
  const company = (await administration.companies.list()).find(({ id }) => id === owner.companyId)?.name
  const email = (await administration.users.list()).find(({ id }) => id === owner.userId)?.email
  const isOtherCompany = companyName !== undefined && companyName !== company
  const isOtherEmail = ownerEmail !== undefined && ownerEmail.toLowerCase() !== email?.toLowerCase()
  if (!isOtherCompany && !isOtherEmail) return
  throw new InvalidInputError(
    isOtherCompany ? '--company' : '--owner-email',
    `an application has made this folder with the root company ${company} and the owner ${email}, and so they stay: run "alcove init" without names, or with another --data-dir`,
  )
}

async function initializeNew(options: GlobalOptions, initial: InitializeInput): Promise<InitializeResult> {
  const { openLocalEngine } = await loadLocal()
  const engine = await openLocalEngine({ ...options, initial, hostClientId: COMMAND_LINE })
  try {
    return await engine.initialize(initial)
  } finally {
    await engine.close()
  }
}

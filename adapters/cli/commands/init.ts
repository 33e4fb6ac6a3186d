import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import {
  type Engine,
  type InitializeInput,
  type InitializeResult,
  InvalidInputError,
  NotInitializedError,
} from '../../../src/index.js'
import { COMMAND_LINE, isInitialized, loadLocal, withDatabase } from '../engines/engines.js'
import { engineOptions, type GlobalOptions, globalOptions, option } from '../options.js'
import { withGivenOptions } from '../output/hints.js'
import { printResult } from '../output/output.js'

export function initCommand(): CommandUnknownOpts {
  return new Command('init')
    .description('create the data folder with the root company, its owner and the first API key')
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
        'Save the secret now: it is not shown a second time.',
        withGivenOptions('"alcove serve" has a page for people at /console: sign in there with this key.'),
      ])
    })
}

/** An engine may already work on a folder that exists. So only the database is opened. */
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
    // An earlier start stopped after it created the database and before it created the owner. So nothing is in use.
    if (error instanceof NotInitializedError) return undefined
    throw error
  }
}

/** If a host created the folder, it named the company and the owner. Other names would have no effect. */
async function refuseOtherNames({ owner, administration }: Engine, initial: InitializeInput): Promise<void> {
  const { companyName, ownerEmail } = initial
  // `initialize` reports that a key exists.
  if ((await administration.apiKeys.list()).length > 0) return
  const company = (await administration.companies.list()).find(({ id }) => id === owner.companyId)?.name
  const email = (await administration.users.list()).find(({ id }) => id === owner.userId)?.email
  const isOtherCompany = companyName !== undefined && companyName !== company
  const isOtherEmail = ownerEmail !== undefined && ownerEmail.toLowerCase() !== email?.toLowerCase()
  if (!isOtherCompany && !isOtherEmail) return
  throw new InvalidInputError(
    isOtherCompany ? '--company' : '--owner-email',
    `an application created this folder with the root company ${company} and the owner ${email}, which cannot change: run "alcove init" without names, or with another --data-dir`,
  )
}

/**
 * A failure leaves nothing behind. A database on a server keeps what it has, and needs the keys in the folder. A bucket
 * keeps the id of the database, and needs the database in the folder.
 */
async function initializeNew(options: GlobalOptions, initial: InitializeInput): Promise<InitializeResult> {
  const { withNewDataDir } = await loadLocal()
  const initialize = async (): Promise<InitializeResult> => await initializeIn(options, initial)
  const isAllInFolder = options.databaseUrl === undefined && options.filesUrl === undefined
  return isAllInFolder ? await withNewDataDir(options.dataDir, initialize) : await initialize()
}

async function initializeIn(options: GlobalOptions, initial: InitializeInput): Promise<InitializeResult> {
  const { openLocalEngine } = await loadLocal()
  const engine = await openLocalEngine({ ...engineOptions(options), initial, hostClientId: COMMAND_LINE })
  try {
    return await engine.initialize(initial)
  } finally {
    await engine.close()
  }
}

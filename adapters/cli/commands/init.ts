import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { openLocalEngine } from '../../local/index.js'
import { isInitialized, withDatabase } from '../engines.js'
import { globalOptions, option } from '../options.js'
import { printResult } from '../output.js'

export function initCommand(): CommandUnknownOpts {
  return new Command('init')
    .description('make the data folder: root company, owner and the first API key')
    .addOption(option('--company <name>', 'name of the root company'))
    .addOption(option('--owner-email <address>', 'e-mail address of the owner'))
    .action(async ({ company, ownerEmail }, command) => {
      const options = globalOptions(command)
      const initial = {
        ...(company !== undefined && { companyName: company }),
        ...(ownerEmail !== undefined && { ownerEmail }),
      }
      // A folder that exists may have an engine working on it: then the database is enough.
      const result = (await isInitialized(options))
        ? await withDatabase(options, async (engine) => await engine.initialize(initial))
        : await initializeNew(options.dataDir, initial)
      printResult(
        options,
        result,
        [
          `Initialised ${options.dataDir}.`,
          `API key: client id ${result.clientId}`,
          `         secret    ${result.clientSecret}`,
          'The secret is shown this once.',
        ].join('\n'),
      )
    })
}

async function initializeNew(dataDir: string, initial: { companyName?: string; ownerEmail?: string }) {
  const engine = await openLocalEngine({ dataDir, initial })
  try {
    return await engine.initialize(initial)
  } finally {
    await engine.close()
  }
}

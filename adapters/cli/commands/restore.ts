import { join } from 'node:path'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { withByteProgress } from '../byte-progress.js'
import { requireAllInFolder } from '../engines.js'
import { loadLocal } from '../loading.js'
import { globalOptions } from '../options.js'
import { counted, printResult, tell } from '../output.js'

export function restoreCommand(): CommandUnknownOpts {
  return new Command('restore')
    .description('create a new data folder from a backup')
    .argument('<file>', 'file that "alcove backup" created')
    .action(async (file, _given, command) => {
      const options = globalOptions(command)
      requireAllInFolder(options, 'restore')
      const { restoreDataDir } = await loadLocal()
      const result = await withByteProgress(async (signal, onProgress) =>
        restoreDataDir({ dataDir: options.dataDir, file, signal, onProgress }),
      )
      const { dataDir, documents, contexts, created, hasSecretKey, pendingDeliveries } = result
      printResult(
        options,
        result,
        `Restored ${counted(documents, 'document')} of ${counted(contexts, 'context')} to ${dataDir}, as of ${created}.`,
      )
      if (!hasSecretKey) {
        tell(
          `the backup does not contain the key that encrypts the secrets: copy it to ${join(dataDir, 'keys', 'secret-key')}, or give its file with --secret-key-file`,
        )
      }
      if (pendingDeliveries > 0) {
        tell(
          `${counted(pendingDeliveries, 'delivery', 'deliveries')} of events were pending when the backup was made: the next "alcove serve" on the folder sends them, possibly for the second time`,
        )
      }
    })
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { BackupResult } from '../../local/index.js'
import { inUnits, withByteProgress } from '../byte-progress.js'
import { requireAllInFolder } from '../engines.js'
import { loadLocal } from '../loading.js'
import { globalOptions, isSwitchedOn, option } from '../options.js'
import { counted, printResult, tell } from '../output.js'

export function backupCommand(): CommandUnknownOpts {
  return new Command('backup')
    .description('copy everything in the data folder into one file, also while it is worked on')
    .argument('<file>', 'a new file, outside of the data folder')
    .addOption(option('--force', 'replace a file that is there'))
    .addOption(option('--without-keys', 'leave the keys out; to open what is restored, they are needed'))
    .action(async (file, _given, command) => {
      const options = globalOptions(command)
      requireAllInFolder(options, 'backup')
      const { dataDir } = options
      const overwrite = isSwitchedOn(command, 'force')
      const withoutKeys = isSwitchedOn(command, 'withoutKeys')
      const { backupDataDir } = await loadLocal()
      const result = await withByteProgress(async (signal, onProgress) =>
        backupDataDir({ dataDir, file, overwrite, withoutKeys, signal, onProgress }),
      )
      printResult(options, result, sentence(result))
      tellWhatToKnow(result, withoutKeys)
    })
}

function sentence({ file, bytes, documents, contexts }: BackupResult): string {
  return `Backed up ${counted(documents, 'document')} of ${counted(contexts, 'context')} to ${file} (${inUnits(bytes)}).`
}

/** What is in it, what is not, and what was wrong with the folder before. */
function tellWhatToKnow(result: BackupResult, withoutKeys: boolean): void {
  const { file, hasSecretKey, documentsWithoutFile, documentsWithOtherBytes, documentsWithoutVectors } = result
  if (!withoutKeys) tell(`keep ${file} as secret as the data folder: whoever has it can read everything in it`)
  if (!hasSecretKey) {
    tell(
      'the key that secrets are encrypted with is not in it: keep that key too, for what is restored cannot be opened without it',
    )
  }
  for (const uuid of documentsWithoutFile) tell(`${uuid}: the data folder does not have its file, nor does the backup`)
  for (const uuid of documentsWithOtherBytes) tell(`${uuid}: its file is damaged in the data folder, and in the backup`)
  for (const uuid of documentsWithoutVectors) tell(`${uuid}: it lacks vectors in the data folder, and in the backup`)
  if (documentsWithoutVectors.length > 0)
    tell('"alcove doctor --repair" makes vectors again, here or in what is restored')
  const damaged = documentsWithoutFile.length + documentsWithOtherBytes.length + documentsWithoutVectors.length
  // As with documents that cannot be ingested: the rest is done, and a script hears of it.
  if (damaged > 0) process.exitCode = 1
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { BackupResult } from '../../local/index.js'
import { formatBytes, withByteProgress } from '../byte-progress.js'
import { requireAllInFolder } from '../engines.js'
import { loadLocal } from '../loading.js'
import { globalOptions, isSwitchedOn, option } from '../options.js'
import { counted, printResult, tell } from '../output.js'

export function backupCommand(): CommandUnknownOpts {
  return new Command('backup')
    .description('back up the data folder into one file, also while a server works on it')
    .argument('<file>', 'new file, outside the data folder')
    .addOption(option('--force', 'replace the file if it exists'))
    .addOption(option('--without-keys', 'leave the keys out; the restored folder opens only with them'))
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
      tellWarnings(result, withoutKeys)
    })
}

function sentence({ file, bytes, documents, contexts }: BackupResult): string {
  return `Backed up ${counted(documents, 'document')} of ${counted(contexts, 'context')} to ${file} (${formatBytes(bytes)}).`
}

/** Warns of secrets in the backup, of a key that is not in it, and of damage that the folder had before. */
function tellWarnings(result: BackupResult, withoutKeys: boolean): void {
  const { file, hasSecretKey, documentsWithoutFile, documentsWithOtherBytes, documentsWithoutVectors } = result
  if (!withoutKeys) tell(`keep ${file} as secret as the data folder: it contains the keys and all data`)
  if (!hasSecretKey) {
    tell(
      'the backup does not contain the key that encrypts the secrets: keep that key too, because the restored folder does not open without it',
    )
  }
  for (const uuid of documentsWithoutFile) tell(`${uuid}: its file is missing in the data folder and in the backup`)
  for (const uuid of documentsWithOtherBytes) tell(`${uuid}: its file is damaged in the data folder and in the backup`)
  for (const uuid of documentsWithoutVectors)
    tell(`${uuid}: its vectors are incomplete in the data folder and in the backup`)
  if (documentsWithoutVectors.length > 0)
    tell('"alcove doctor --repair" computes the missing vectors, here or in the restored folder')
  const damaged = documentsWithoutFile.length + documentsWithOtherBytes.length + documentsWithoutVectors.length
  // The backup is complete apart from that; the exit code lets a script notice it.
  if (damaged > 0) process.exitCode = 1
}

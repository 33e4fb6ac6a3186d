import { join } from 'node:path'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { BackupResult } from '../../local/index.js'
import { formatBytes, withByteProgress } from '../byte-progress.js'
import { loadLocal, requireAllInFolder } from '../engines/engines.js'
import { globalOptions, isSwitchedOn, option, parseFolder } from '../options.js'
import { shellWord } from '../output/hints.js'
import { counted, printResult, tell } from '../output/output.js'

export function backupCommand(): CommandUnknownOpts {
  return new Command('backup')
    .description('back up the data folder into one file, also while a server works on it')
    .argument('<file>', 'new file, outside the data folder')
    .addOption(option('--force', 'replace the file if it exists'))
    .addOption(option('--without-keys', 'leave the keys out; the restored folder opens only with them'))
    .action(async (file, _given, command) => {
      const options = globalOptions(command)
      requireAllInFolder(options, 'backup')
      const { dataDir, tempDir } = options
      const overwrite = isSwitchedOn(command, 'force')
      const withoutKeys = isSwitchedOn(command, 'withoutKeys')
      const { backupDataDir } = await loadLocal()
      const result = await withByteProgress(async (signal, onProgress) =>
        backupDataDir({
          dataDir,
          ...(tempDir !== undefined && { tempDir }),
          file,
          overwrite,
          withoutKeys,
          signal,
          onProgress,
        }),
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

export function migrateCommand(): CommandUnknownOpts {
  return new Command('migrate')
    .description("copy a data folder's database to PostgreSQL; a second run continues an interrupted one")
    .addOption(option('--from <dir>', 'data folder to copy from').argParser(parseFolder).makeOptionMandatory())
    .addOption(option('--to <url>', 'empty PostgreSQL database to copy to').makeOptionMandatory())
    .action(async ({ from, to }, command) => {
      const options = globalOptions(command)
      const { migrateDataDir } = await loadLocal()
      const result = await withByteProgress(
        async (signal, onProgress) =>
          migrateDataDir({
            from,
            to,
            signal,
            onProgress: ({ rows, totalRows }) => onProgress({ bytes: rows, totalBytes: totalRows }),
          }),
        {
          formatAmount: (rows) => counted(rows, 'row'),
          onInterrupt: () => tell('interrupted: run the command a second time to continue'),
        },
      )
      const { contexts, documents, vectorStore, documentsWithoutVectors, formerDatabase } = result
      const vectorPlace = vectorStore === 'pgvector' ? 'in the database' : 'still in the folder'
      printResult(options, result, [
        `Migrated ${counted(documents, 'document')} of ${counted(contexts, 'context')}, and compared everything. The vectors are ${vectorPlace}.`,
        `From now on, start with --data-dir ${result.from} and --database-url (or ALCOVE_DATABASE_URL). If the files are in a bucket, keep --files-url.`,
      ])
      for (const uuid of documentsWithoutVectors)
        tell(`${uuid}: its vectors are incomplete in the folder and in the database`)
      if (documentsWithoutVectors.length > 0) {
        const place = `--data-dir ${shellWord(result.from)} --database-url URL`
        tell(`"alcove doctor --repair ${place}" computes the missing vectors`)
        process.exitCode = 1
      }
      tell(`the former database is still in ${formerDatabase}: remove it when the new one works`)
    })
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { withByteProgress } from '../byte-progress.js'
import { loadLocal } from '../loading.js'
import { globalOptions, option, parseFolder } from '../options.js'
import { counted, printResult, tell } from '../output.js'

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
        tell('"alcove doctor --repair" computes the missing vectors')
        process.exitCode = 1
      }
      tell(`the former database is still in ${formerDatabase}: remove it when the new one works`)
    })
}

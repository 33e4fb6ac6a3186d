import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { withByteProgress } from '../byte-progress.js'
import { loadLocal } from '../loading.js'
import { globalOptions, option, parseFolder } from '../options.js'
import { counted, printResult, tell } from '../output.js'

export function migrateCommand(): CommandUnknownOpts {
  return new Command('migrate')
    .description("copy a data folder's database to PostgreSQL; run again, it goes on where it was ended")
    .addOption(option('--from <dir>', 'the data folder').argParser(parseFolder).makeOptionMandatory())
    .addOption(option('--to <url>', 'an empty PostgreSQL database').makeOptionMandatory())
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
        { inWords: (rows) => counted(rows, 'row'), interrupted: () => tell('ended: run it again, and it goes on') },
      )
      const { contexts, documents, vectorStore, documentsWithoutVectors, formerDatabase } = result
      const where = vectorStore === 'pgvector' ? 'database' : 'folder, as before'
      printResult(options, result, [
        `Migrated ${counted(documents, 'document')} of ${counted(contexts, 'context')}, and compared everything; vectors are in the ${where}.`,
        `From now on: --data-dir ${result.from}, as before, and --database-url, or ALCOVE_DATABASE_URL; a bucket with the files stays as it is.`,
      ])
      for (const uuid of documentsWithoutVectors) tell(`${uuid}: it lacks vectors in the folder, and in the database`)
      if (documentsWithoutVectors.length > 0) {
        tell('"alcove doctor --repair" makes vectors again')
        process.exitCode = 1
      }
      tell(`the former database is kept in ${formerDatabase}: remove it when all is well`)
    })
}

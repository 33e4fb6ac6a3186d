import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { DocumentWithReceipt } from '../../../src/index.js'
import { ownerSession, withEngine } from '../engines.js'
import { filesToIngest } from '../files-to-ingest.js'
import { findContext } from '../find-context.js'
import { IngestProgress } from '../ingest-progress.js'
import { Ingestion } from '../ingestion.js'
import { globalOptions, option } from '../options.js'
import { counted, printList, tell } from '../output.js'

export function ingestCommand(): CommandUnknownOpts {
  return new Command('ingest')
    .description('upload files or folders into a context, and wait until they are searchable')
    .argument('<paths...>', 'files or folders')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .action(async (paths, given, command) => {
      const options = globalOptions(command)
      const { files, emptyFolders, skipped } = await filesToIngest(paths)
      // By id: the same bytes under the same name are one document, even if the user names them several times.
      const documents = new Map<number, DocumentWithReceipt>()
      let failures = emptyFolders.length
      let interrupt = (): void => undefined
      await withEngine(
        options,
        async (engine) => {
          const session = ownerSession(engine)
          const { id } = await findContext(session, given.context)
          const progress = new IngestProgress(files.length, options.json)
          const stopListening = engine.on('document.progress', (event) => {
            progress.showWindows(event.windowsEmbedded)
          })
          const ingestion = new Ingestion(session, id, files)
          interrupt = () => {
            progress.stop()
            tellRest(ingestion)
          }
          for await (const { file, outcome } of ingestion.run()) {
            if ('document' in outcome) {
              documents.set(outcome.document.id, outcome.document)
              failures += outcome.document.error === null ? 0 : 1
              progress.finishFile(file.path, describe(outcome.document))
            } else {
              failures += 1
              progress.finishFile(file.path, `failed: ${outcome.error}`)
            }
          }
          stopListening()
          progress.stop()
        },
        () => interrupt(),
      )
      for (const line of skipped) tell(line)
      for (const folder of emptyFolders) tell(`${folder}: failed: the folder contains no file of a supported format`)
      if (options.json)
        printList(
          options,
          [...documents.values()].sort((first, second) => first.id - second.id),
          [],
        )
      if (failures > 0) process.exitCode = 1
    })
}

/** Tells the user what is unfinished after an interruption, and how it continues. */
function tellRest({ unfinished, notUploaded }: Ingestion): void {
  const parts = [
    ...(unfinished > 0
      ? [`${counted(unfinished, 'uploaded document')} will be processed by the next "alcove ingest" or "alcove serve"`]
      : []),
    ...(notUploaded > 0
      ? [`${counted(notUploaded, 'file')} not uploaded: ingest the missing files a second time`]
      : []),
  ]
  if (parts.length > 0) tell(`interrupted: ${parts.join('; ')}`)
}

/** Shows warnings here, because nobody looks for them in the receipt of a completed document. */
function describe({ chunks, error, size, receipt }: DocumentWithReceipt): string {
  if (error !== null) return `failed: ${error}`
  const [first, ...others] = receipt?.warnings ?? []
  const warning = first === undefined ? '' : `; warning: ${first}`
  const more = others.length === 0 ? '' : ` (and ${others.length} more; "alcove documents show" lists them)`
  return `${counted(chunks, 'chunk')} from ${size} bytes${warning}${more}`
}

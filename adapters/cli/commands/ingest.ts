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
      // By id: the same bytes under the same name are one document, however often they are named.
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
            progress.working(event.windowsEmbedded)
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
              progress.done(file.path, describe(outcome.document))
            } else {
              failures += 1
              progress.done(file.path, `failed: ${outcome.error}`)
            }
          }
          stopListening()
          progress.stop()
        },
        () => interrupt(),
      )
      for (const line of skipped) tell(line)
      for (const folder of emptyFolders) tell(`${folder}: failed: there is no file in this folder that can be ingested`)
      if (options.json)
        printList(
          options,
          [...documents.values()].sort((one, other) => one.id - other.id),
          [],
        )
      if (failures > 0) process.exitCode = 1
    })
}

/** What is unfinished when the user interrupts, and what becomes of it. */
function tellRest({ unfinished, notUploaded }: Ingestion): void {
  const parts = [
    ...(unfinished > 0
      ? [`${counted(unfinished, 'uploaded document')} will go on at the next "alcove ingest" or "alcove serve"`]
      : []),
    ...(notUploaded > 0 ? [`${counted(notUploaded, 'file')} not uploaded: ingest again what is missing`] : []),
  ]
  if (parts.length > 0) tell(`interrupted: ${parts.join('; ')}`)
}

/** What could not be read is told here: nobody would look for it in the receipt of a document that is completed. */
function describe({ chunks, error, size, receipt }: DocumentWithReceipt): string {
  if (error !== null) return `failed: ${error}`
  const [first, ...others] = receipt?.warnings ?? []
  const warning = first === undefined ? '' : `; warning: ${first}`
  const more = others.length === 0 ? '' : ` (and ${others.length} more: "alcove documents show" has them)`
  return `${counted(chunks, 'chunk')} from ${size} bytes${warning}${more}`
}

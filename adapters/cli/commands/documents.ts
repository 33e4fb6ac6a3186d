import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Document } from '../../../src/index.js'
import { clearAway } from '../clear-away.js'
import { ownerSession, withDatabase, withEngineOrDatabase } from '../engines.js'
import { findContext } from '../find-context.js'
import { globalOptions, option } from '../options.js'
import { printList, printRecord, printResult } from '../output.js'

const COLUMNS = ['id', 'fileName', 'displayName', 'size', 'chunks', 'completed', 'error'] as const

export function documentsCommand(): CommandUnknownOpts {
  const documents = new Command('documents')
    .description('list the documents of a context')
    .addOption(option('--context <context>', 'id or name'))
    .action(async (given, command) => {
      const options = globalOptions(command)
      if (given.context === undefined) command.error("error: required option '--context <context>' not specified")
      const listed = await withDatabase(options, async (engine) => {
        const session = ownerSession(engine)
        return await session.documents.list((await findContext(session, given.context ?? '')).id)
      })
      printList<Document>(options, listed, COLUMNS)
    })
  documents.addCommand(showCommand())
  documents.addCommand(deleteCommand())
  documents.addCommand(retryCommand())
  return documents
}

function showCommand(): CommandUnknownOpts {
  return new Command('show')
    .description('show a document with its ingestion receipt')
    .argument('<uuid>')
    .action(async (uuid, _given, command) => {
      const options = globalOptions(command)
      printRecord(
        options,
        await withDatabase(options, async (engine) => await ownerSession(engine).documents.get(uuid)),
      )
    })
}

function deleteCommand(): CommandUnknownOpts {
  return new Command('delete')
    .description('delete a document')
    .argument('<uuid>')
    .action(async (uuid, _given, command) => {
      const options = globalOptions(command)
      const { displayName } = await withEngineOrDatabase(options, async (engine) => {
        const deleted = await ownerSession(engine).documents.delete(uuid)
        await clearAway(engine)
        return deleted
      })
      printResult(options, {}, `Deleted ${displayName}.`)
    })
}

function retryCommand(): CommandUnknownOpts {
  return new Command('retry')
    .description('process a failed document a second time')
    .argument('<uuid>')
    .action(async (uuid, _given, command) => {
      const options = globalOptions(command)
      const document = await withEngineOrDatabase(options, async (engine, isWorking) => {
        const { documents } = ownerSession(engine)
        await documents.retry(uuid)
        // If another process works on the folder, that process has the job now.
        if (isWorking) await documents.whenProcessed(uuid).catch(() => undefined)
        return await documents.get(uuid)
      })
      const outcome =
        document.error ?? (document.completed === null ? 'is being processed' : `${document.chunks} chunks`)
      printResult(options, document, `${document.displayName}: ${outcome}`)
      if (document.error !== null) process.exitCode = 1
    })
}

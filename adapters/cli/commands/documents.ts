import { isDeepStrictEqual } from 'node:util'
import { Command, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings'
import type { Document, DocumentChanges, DocumentWithReceipt } from '../../../src/index.js'
import { DOCUMENT_ORDERS, DOCUMENT_STATUSES, type DocumentStatus } from '../../../src/ports/index.js'
import {
  clearAway,
  findContext,
  ownerSession,
  withDatabase,
  withEngine,
  withEngineOrDatabase,
} from '../engines/engines.js'
import { filesToIngest, Ingestion } from '../ingestion.js'
import {
  collect,
  globalOptions,
  isSwitchedOn,
  option,
  parseFilter,
  parseMetadata,
  parseMetadataOrNull,
} from '../options.js'
import { DOCUMENT, parseDocument, toDocumentRow } from '../output/document-table.js'
import { IngestProgress } from '../output/ingest-progress.js'
import { counted, printList, printRecord, printResult, tell } from '../output/output.js'
import { waitTeller } from '../wait-teller.js'
import { chunksCommand, contentCommand, textCommand } from './document-content.js'

const COLUMNS = ['document', 'name', 'bytes', 'chunks', 'status'] as const

export function documentsCommand(): CommandUnknownOpts {
  const documents = new Command('documents').description(
    'list, show and change the documents of a context; "alcove documents list --help" shows the options of the list',
  )
  // A command of its own, so that its option `--name` is not that of the others.
  documents.addCommand(listCommand(), { isDefault: true })
  documents.addCommand(showCommand())
  documents.addCommand(updateCommand())
  documents.addCommand(textCommand())
  documents.addCommand(contentCommand())
  documents.addCommand(chunksCommand())
  documents.addCommand(deleteCommand())
  documents.addCommand(retryCommand())
  return documents
}

function listCommand(): CommandUnknownOpts {
  return new Command('list')
    .description('list the documents of a context; "alcove documents" does the same')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(filterOption('only documents that meet these conditions, as JSON'))
    .addOption(option('--order <order>', 'order of the list', 'documents').choices(DOCUMENT_ORDERS).default('oldest'))
    .addOption(
      option(
        '--status <status>',
        `only documents in this state; several times, or with commas: ${DOCUMENT_STATUSES.join(', ')}`,
        'documents',
      ).argParser(collect),
    )
    .addOption(option('--name <text>', 'only documents whose name contains this text', 'documents'))
    .action(async (given, command) => {
      const options = globalOptions(command)
      const listed = await withDatabase(options, async (engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, given.context)
        return await session.documents.list(id, {
          order: given.order,
          ...(given.filter !== undefined && { filter: given.filter }),
          // The engine checks the values.
          ...(given.status !== undefined && { status: given.status as DocumentStatus[] }),
          ...(given.name !== undefined && { name: given.name }),
        })
      })
      if (options.json) printList(options, listed, [])
      else printList(options, listed.map(toDocumentRow), COLUMNS, { shortened: 'name' })
    })
}

function showCommand(): CommandUnknownOpts {
  return new Command('show')
    .description('show a document with its ingestion receipt')
    .argument('<document>', DOCUMENT, parseDocument)
    .action(async (reference, _given, command) => {
      const options = globalOptions(command)
      printRecord(
        options,
        await withDatabase(options, async (engine) => await ownerSession(engine).documents.get(reference)),
      )
    })
}

function updateCommand(): CommandUnknownOpts {
  return new Command('update')
    .description('change the name and the metadata of a document; options that are left out change nothing')
    .argument('<document>', DOCUMENT, parseDocument)
    .addOption(option('--name <text>', 'name that the engine shows', 'document'))
    .addOption(option('--reset-name', 'show the name that is made from the file name').conflicts('name'))
    .addOption(
      option(
        '--metadata <json>',
        'values to merge into the metadata, as JSON; null removes a key, or all keys instead of an object',
        'document',
      ).argParser(parseMetadataOrNull),
    )
    .action(async (reference, given, command) => {
      const options = globalOptions(command)
      const changes: DocumentChanges = {
        ...(given.name !== undefined && { displayName: given.name }),
        ...(isSwitchedOn(command, 'resetName') && { displayName: null }),
        ...(given.metadata !== undefined && { metadata: given.metadata.value }),
      }
      const updated = await withDatabase(options, async (engine) => {
        return await ownerSession(engine).documents.update(reference, changes)
      })
      printResult(options, updated, `Updated ${updated.displayName}: ${JSON.stringify(updated.metadata)}`)
    })
}

/** The option of commands that select documents by conditions. */
export function filterOption(
  description: string,
): Option<'--filter <json>', undefined, undefined, Readonly<Record<string, never>>> {
  return option('--filter <json>', description).argParser(parseFilter)
}

function deleteCommand(): CommandUnknownOpts {
  return new Command('delete')
    .description('delete a document')
    .argument('<document>', DOCUMENT, parseDocument)
    .action(async (reference, _given, command) => {
      const options = globalOptions(command)
      const { displayName } = await withEngineOrDatabase(options, async (engine) => {
        const deleted = await ownerSession(engine).documents.delete(reference)
        await clearAway(engine)
        return deleted
      })
      printResult(options, {}, `Deleted ${displayName}.`)
    })
}

function retryCommand(): CommandUnknownOpts {
  return new Command('retry')
    .description('process a failed document a second time')
    .argument('<document>', DOCUMENT, parseDocument)
    .action(async (reference, _given, command) => {
      const options = globalOptions(command)
      const document = await withEngineOrDatabase(options, async (engine, isWorking) => {
        const { documents } = ownerSession(engine)
        await documents.retry(reference)
        // If another process works on the folder, that process has the job now.
        if (isWorking) await documents.whenProcessed(reference, { onWaiting: waitTeller() }).catch(() => undefined)
        return await documents.get(reference)
      })
      const error = errorOf(document)
      const isWaiting = document.completed === null || document.replacement !== null
      const outcome = error ?? (isWaiting ? 'is being processed' : `${document.chunks} chunks`)
      printResult(options, document, `${document.displayName}: ${outcome}`)
      if (error !== null) process.exitCode = 1
    })
}

export function ingestCommand(): CommandUnknownOpts {
  return new Command('ingest')
    .description('upload files or folders into a context, and wait until they are searchable')
    .argument('<paths...>', 'files or folders')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(
      option('--metadata <json>', 'metadata of each document, as JSON, such as {"year":2026}', 'ingest').argParser(
        parseMetadata,
      ),
    )
    .addOption(option('--replace', 'a file replaces the document with its name, instead of becoming a second one'))
    .action(async (paths, given, command) => {
      const options = globalOptions(command)
      const { files, emptyFolders, skipped } = await filesToIngest(paths, options.ocr !== undefined)
      // By id: the same bytes under the same name are one document, even if the user names them several times.
      const documents = new Map<number, DocumentWithReceipt>()
      const keepers: string[] = []
      // With --replace, a document keeps its metadata only if its replacement fails, which is reported.
      const wanted = given.replace === true ? undefined : given.metadata
      let failures = emptyFolders.length
      let interrupt = (): void => undefined
      await withEngine(
        options,
        async (engine) => {
          const session = ownerSession(engine)
          const { id } = await findContext(session, given.context)
          const progress = new IngestProgress(files.length, {
            results: options.json ? process.stderr : process.stdout,
            progress: process.stderr,
            now: () => performance.now(),
          })
          const ingestion = new Ingestion(session, id, files, {
            replaces: given.replace === true,
            metadata: given.metadata,
          })
          const stopListening = engine.on('document.progress', (event) => {
            const name = ingestion.nameOf(event.fileName)
            if (name !== undefined) progress.show(name, event)
          })
          interrupt = () => {
            progress.stop()
            tellRest(ingestion)
          }
          for await (const { file, outcome } of ingestion.run()) {
            if ('document' in outcome) {
              documents.set(outcome.document.id, outcome.document)
              failures += errorOf(outcome.document) === null ? 0 : 1
              progress.finishFile(file.path, outcome.isUnchanged ? 'unchanged' : describe(outcome.document))
              // An upload of the same bytes under the same name gives the existing document.
              if (wanted !== undefined && !isDeepStrictEqual(outcome.document.metadata, wanted)) keepers.push(file.path)
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
      for (const path of keepers) tell(`${path}: ${KEEPS_METADATA}`)
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

const KEEPS_METADATA =
  'the document existed before and keeps its metadata; to change them, use --replace or "alcove documents update"'

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

/** The error of the newest version of a document; null if it has none. */
function errorOf({ error, replacement }: Document): string | null {
  return replacement === null ? error : replacement.error
}

/** Shows warnings here, because nobody looks for them in the receipt of a completed document. */
function describe(document: DocumentWithReceipt): string {
  const { chunks, size, receipt, replacement } = document
  const error = errorOf(document)
  if (error !== null) return `failed: ${error}${replacement === null ? '' : '; the former version stays'}`
  const [first, ...others] = receipt?.warnings ?? []
  const warning = first === undefined ? '' : `; warning: ${first}`
  const more = others.length === 0 ? '' : ` (and ${others.length} more; "alcove documents show" lists them)`
  return `${counted(chunks, 'chunk')} from ${size} bytes${warning}${more}`
}

import { createReadStream } from 'node:fs'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { AlcoveError, type Document, type Session } from '../../../src/index.js'
import { ownerSession, withEngine } from '../engines.js'
import { type FileToIngest, filesToIngest } from '../files-to-ingest.js'
import { findContext } from '../find-context.js'
import { IngestProgress } from '../ingest-progress.js'
import { globalOptions, option } from '../options.js'
import { printList } from '../output.js'

const UPLOADS_AHEAD = 8

export function ingestCommand(): CommandUnknownOpts {
  return new Command('ingest')
    .description('upload files or folders into a context, and wait until they are searchable')
    .argument('<paths...>', 'files or folders')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .action(async (paths, given, command) => {
      const options = globalOptions(command)
      const { files, skipped } = await filesToIngest(paths)
      // By id: the same bytes under the same name are one document, however often they are named.
      const documents = new Map<number, Document>()
      let failures = 0
      await withEngine(options, async (engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, given.context)
        const progress = new IngestProgress(files.length, options.json)
        const stopListening = engine.on('document.progress', (event) => {
          progress.working(event.windowsEmbedded)
        })
        for await (const { file, outcome } of ingestAll(session, id, files)) {
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
      })
      for (const path of skipped) process.stderr.write(`skipped ${path}: not a format that is read\n`)
      if (options.json)
        printList(
          options,
          [...documents.values()].sort((one, other) => one.id - other.id),
          [],
        )
      if (failures > 0) process.exitCode = 1
    })
}

type Upload = { readonly uuid: string } | { readonly error: string }
type Outcome = { readonly document: Document } | { readonly error: string }

/** Uploads the files in their order, some ahead of those that are processed, and gives them back in it. */
async function* ingestAll(
  session: Session,
  contextId: number,
  files: readonly FileToIngest[],
): AsyncGenerator<{ readonly file: FileToIngest; readonly outcome: Outcome }> {
  const ahead: { readonly file: FileToIngest; readonly outcome: Promise<Outcome> }[] = []
  for (const file of files) {
    const uploaded = await upload(session, contextId, file)
    ahead.push({ file, outcome: processed(session, uploaded) })
    const oldest = ahead.length >= UPLOADS_AHEAD ? ahead.shift() : undefined
    if (oldest !== undefined) yield { file: oldest.file, outcome: await oldest.outcome }
  }
  for (const { file, outcome } of ahead) yield { file, outcome: await outcome }
}

async function upload(session: Session, contextId: number, { path, name }: FileToIngest): Promise<Upload> {
  try {
    return { uuid: await session.documents.upload(contextId, { fileName: name, content: createReadStream(path) }) }
  } catch (error) {
    if (error instanceof AlcoveError) return { error: `${error.message} (${error.code})` }
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing) return { error: 'there is no such file or folder' }
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function processed({ documents }: Session, uploaded: Upload): Promise<Outcome> {
  if ('error' in uploaded) return uploaded
  // A failure is in the record.
  await documents.whenProcessed(uploaded.uuid).catch(() => undefined)
  return { document: await documents.get(uploaded.uuid) }
}

function describe({ chunks, error, size }: Document): string {
  return error === null ? `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'} from ${size} bytes` : `failed: ${error}`
}

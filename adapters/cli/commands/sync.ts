import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { AlcoveError } from '../../../src/index.js'
import { messageOf } from '../../../src/ports/index.js'
import type { SyncedFile, SyncSummary } from '../../local/index.js'
import { findContext, loadLocal, ownerSession, withEngine } from '../engines/engines.js'
import { collectGlobs, globalOptions, isSwitchedOn, option } from '../options.js'
import { counted, oneLine, printResult, tell } from '../output/output.js'
import { waitTeller } from '../wait-teller.js'

export function syncCommand(): CommandUnknownOpts {
  return new Command('sync')
    .description('make a context what a folder is: add new files, replace changed ones, wait until they are searchable')
    .argument('<folder>')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(option('--delete', 'delete the documents that have no file in the folder'))
    .addOption(
      option(
        '--allow-empty',
        'let --delete remove the documents of an empty folder, which may be one that is not mounted',
      ),
    )
    .addOption(option('--watch', 'go on, and synchronise again after each change, until Ctrl-C'))
    .addOption(
      option(
        '--include <glob>',
        'paths to take, such as "handbook/**"; repeatable; default: each readable format',
        'sync',
      ).argParser(collectGlobs),
    )
    .addOption(option('--exclude <glob>', 'paths to leave out; repeatable', 'sync').argParser(collectGlobs))
    .action(async (folder, { context, include, exclude }, command) => {
      const options = globalOptions(command)
      const showsFile = (file: SyncedFile): void => {
        if (file.outcome !== 'unchanged') tell(oneLine(describe(file)))
      }
      // A watch goes on for long: each of its synchronisations tells a reason again.
      let tellWaiting = waitTeller()
      const show = (summary: SyncSummary): void => {
        tellWaiting = waitTeller()
        printResult(options, summary, sentenceOf(summary))
        if (summary.failed > 0) process.exitCode = 1
      }
      const interrupted = new AbortController()
      await withEngine(
        options,
        async (engine) => {
          const session = ownerSession(engine)
          const { id } = await findContext(session, context)
          const switches = { delete: isSwitchedOn(command, 'delete'), allowEmpty: isSwitchedOn(command, 'allowEmpty') }
          const onWaiting = (reason: AlcoveError): void => tellWaiting(reason)
          const pictures = options.ocr !== undefined
          const settings = { ...switches, include, exclude, pictures, onFile: showsFile, onWaiting }
          const { syncFolder, watchFolder } = await loadLocal()
          if (!isSwitchedOn(command, 'watch')) {
            show(await syncFolder(session, id, folder, { ...settings, signal: interrupted.signal }))
            return
          }
          const onError = (error: unknown): void => tell(messageOf(error))
          const watch = await watchFolder(session, id, folder, { ...settings, onSync: show, onError })
          tell(`watching ${folder}; stop with Ctrl-C`)
          await new Promise((resolve) => interrupted.signal.addEventListener('abort', resolve, { once: true }))
          await watch.close()
        },
        () => interrupted.abort(),
      )
    })
}

function describe({ path, outcome, error }: SyncedFile): string {
  return error === undefined ? `${path}: ${outcome}` : `${path}: ${outcome}: ${error}`
}

function sentenceOf({ added, replaced, removed, unchanged, failed }: SyncSummary): string {
  return `${counted(added, 'file')} added, ${replaced} replaced, ${removed} removed, ${unchanged} unchanged, ${failed} failed.`
}

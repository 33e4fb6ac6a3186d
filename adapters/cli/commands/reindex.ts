import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type {
  ContextReindexingView,
  ContextReindexProgress,
  ContextSettings,
  ContextSettingsView,
} from '../../../src/index.js'
import { clearAway, findContext, ownerSession, withDatabase, withEngineOrDatabase } from '../engines/engines.js'
import { type GlobalOptions, globalOptions, isSwitchedOn, option, parseCount } from '../options.js'
import { counted, oneLine, printResult, tell } from '../output/output.js'
import {
  chunkSettings,
  chunkSizeOption,
  modelOption,
  overlapOption,
  reindexBar,
  tellInterrupted,
  waitForReindex,
} from '../reindexing.js'

export function reindexCommand(): CommandUnknownOpts {
  return new Command('reindex')
    .description('cut and embed documents a second time with other settings, while searches go on, and wait')
    .argument('[context]', 'id or name; or --all')
    .addOption(option('--all', 'all contexts of all companies, one after the other'))
    .addOption(modelOption('reindex'))
    .addOption(chunkSizeOption('reindex'))
    .addOption(overlapOption('reindex'))
    .addOption(
      option('--documents <number>', 'with --all: stop after so many documents; the same command goes on').argParser(
        parseCount,
      ),
    )
    .addOption(option('--cancel', 'end the re-index in progress; the context keeps its present settings'))
    .action(async (idOrName, given, command) => {
      const options = globalOptions(command)
      const isAll = isSwitchedOn(command, 'all')
      const isCancelling = isSwitchedOn(command, 'cancel')
      const settings = chunkSettings(given)
      if ((idOrName === undefined) !== isAll) command.error('error: name one context, or use --all')
      if (given.documents !== undefined && !isAll) command.error("error: option '--documents' needs --all")
      if (isCancelling && (isAll || Object.keys(settings).length > 0)) {
        command.error("error: option '--cancel' needs one context, and no other settings")
      }
      if (idOrName === undefined) await reindexAll(options, settings, given.documents)
      else if (isCancelling) await cancel(options, idOrName)
      else await reindexOne(options, idOrName, settings)
    })
}

async function cancel(options: GlobalOptions, idOrName: string): Promise<void> {
  const { name, settings, cancelled } = await withDatabase(options, async (engine) => {
    const session = ownerSession(engine)
    const { contexts } = session
    const { id, name } = await findContext(session, idOrName)
    const { reindexing } = await contexts.settings(id)
    await contexts.update(id, { settings: { reindexing: null } })
    return { name, settings: await contexts.settings(id), cancelled: reindexing }
  })
  const kept = `it keeps ${settings.embeddingModel} and chunks of ${settings.chunkSizeTokens} tokens`
  const sentence =
    cancelled === null
      ? `No re-index of ${name} was in progress.`
      : `Cancelled the re-index of ${name} (${cancelled.documentsDone} of ${counted(cancelled.documentsTotal, 'document')}); ${kept}.`
  printResult(options, settings, sentence)
}

/** Starts the re-index of a context, or goes on with the one in progress, and waits for its end. */
async function reindexOne(
  options: GlobalOptions,
  idOrName: string,
  given: ReturnType<typeof chunkSettings>,
): Promise<void> {
  const { name, settings } = await withEngineOrDatabase(
    options,
    async (engine) => {
      const session = ownerSession(engine)
      const context = await findContext(session, idOrName)
      const { reindexing } = await session.contexts.settings(context.id)
      // Without settings, those of a re-index that has stopped are tried again.
      const wanted = { ...(reindexing !== null && settingsOf(reindexing)), ...given }
      if (Object.keys(wanted).length > 0) await session.contexts.update(context.id, { settings: wanted })
      const settings = await waitForReindex(session, context)
      await clearAway(engine)
      return { name: context.name, settings }
    },
    tellInterrupted,
  )
  printReindexed(options, name, settings)
}

function settingsOf({ embeddingModel, chunkSizeTokens, overlap }: ContextReindexingView): ContextSettings {
  return { embeddingModel, chunkSizeTokens, overlap }
}

/** Prints the settings of a context after its re-index. */
function printReindexed(options: GlobalOptions, name: string, settings: ContextSettingsView): void {
  const { reindexing, embeddingModel, chunkSizeTokens, overlap } = settings
  if (reindexing?.error != null) {
    printResult(options, settings, `${name}: the re-index has stopped: ${reindexing.error}`)
    process.exitCode = 1
    return
  }
  const sizes = `${embeddingModel}, chunks of ${chunkSizeTokens} tokens, overlap ${overlap}`
  printResult(options, settings, `${name}: its documents are indexed with ${sizes}.`)
}

async function reindexAll(
  options: GlobalOptions,
  settings: ReturnType<typeof chunkSettings>,
  maxDocuments: number | undefined,
): Promise<void> {
  const counts = { reindexed: 0, unchanged: 0, failed: 0, documents: 0, isFinished: true }
  await withEngineOrDatabase(
    options,
    async (engine) => {
      const bar = reindexBar()
      let last: ContextReindexProgress | undefined
      for await (const progress of engine.administration.reindexAll(settings, { maxDocuments })) {
        last = progress
        const { name, state, documentsDone, documentsTotal } = progress
        if (state === 'running') bar.show(documentsDone, documentsTotal, { name })
        else bar.stop()
        if (state === 'done') {
          counts.reindexed += 1
          counts.documents += documentsTotal
          tell(oneLine(`${name}: ${counted(documentsTotal, 'document')} re-indexed`))
        } else if (state === 'failed') {
          counts.failed += 1
          tell(oneLine(`${name}: failed: ${progress.error}; searches use the former settings`))
        } else if (state === 'unchanged') counts.unchanged += 1
        else if (state === 'ended') tell(oneLine(`${name}: deleted, or changed by somebody else`))
      }
      bar.stop()
      if (last?.state === 'running') {
        counts.isFinished = false
        counts.documents += last.documentsDone
      }
      await clearAway(engine)
    },
    tellInterrupted,
  )
  const { reindexed, unchanged, failed, documents, isFinished } = counts
  const rest = isFinished ? '' : ' The same command goes on with the rest.'
  printResult(
    options,
    counts,
    `${counted(reindexed, 'context')} re-indexed (${counted(documents, 'document')}), ${unchanged} unchanged, ${failed} failed.${rest}`,
  )
  if (failed > 0) process.exitCode = 1
}

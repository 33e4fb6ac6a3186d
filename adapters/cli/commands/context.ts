import { readFile } from 'node:fs/promises'
import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Context, type ContextChanges, type Engine, InvalidInputError } from '../../../src/index.js'
import { SEARCH_MODES, type SearchMode } from '../../../src/ports/index.js'
import { clearAway, findContext, ownerSession, withDatabase, withEngineOrDatabase } from '../engines/engines.js'
import { globalOptions, option, parseId, parseNumber } from '../options.js'
import { printList, printRecord, printResult, tell } from '../output/output.js'
import {
  chunkSettings,
  chunkSizeOption,
  modelOption,
  overlapOption,
  tellInterrupted,
  waitForReindex,
} from '../reindexing.js'

const COLUMNS = ['id', 'name', 'caption', 'embeddingModel', 'shareState', 'created'] as const

export function contextCommand(): CommandUnknownOpts {
  const context = new Command('context').description('manage contexts: custom assistants')
  context.addCommand(createCommand())
  context.addCommand(listCommand())
  context.addCommand(showCommand())
  context.addCommand(settingsCommand())
  context.addCommand(updateCommand())
  context.addCommand(shareCommand())
  context.addCommand(handOverCommand())
  context.addCommand(deleteCommand())
  return context
}

function createCommand(): CommandUnknownOpts {
  return new Command('create')
    .description('create a context')
    .argument('<name>')
    .addOption(option('--description <text>', 'system instructions; default: the name'))
    .addOption(option('--caption <text>', 'statement of purpose; default: the name'))
    .addOption(toolsOption())
    .addOption(chunkSizeOption())
    .addOption(overlapOption())
    .addOption(option('--top-n <number>', 'most results of a search').argParser(parseNumber))
    .addOption(option('--score-threshold <number>', 'lowest similarity of a result').argParser(parseNumber))
    .addOption(modelOption())
    .addOption(searchModeOption())
    .addOption(findsEarlyOption())
    .action(async (name, given, command) => {
      const options = globalOptions(command)
      const { description = name, caption = name, tools } = given
      const toolsJson = tools === undefined ? '[]' : await readTools(tools)
      const settings = { ...chunkSettings(given), ...searchSettings(given) }
      const created = await withDatabase(options, async (engine) => {
        return await ownerSession(engine).contexts.create({ name, description, caption, toolsJson, settings })
      })
      printResult(options, created, `Created context ${created.id}, ${created.name}.`)
    })
}

function listCommand(): CommandUnknownOpts {
  return new Command('list').description('list the contexts').action(async (_given, command) => {
    const options = globalOptions(command)
    const contexts = await withDatabase(options, async (engine) => await ownerSession(engine).contexts.list())
    printList<Context>(options, contexts, COLUMNS)
  })
}

function showCommand(): CommandUnknownOpts {
  return new Command('show')
    .description('show a context')
    .argument('<context>', 'id or name')
    .action(async (idOrName, _given, command) => {
      const options = globalOptions(command)
      printRecord(
        options,
        await withDatabase(options, async (engine) => await findContext(ownerSession(engine), idOrName)),
      )
    })
}

function settingsCommand(): CommandUnknownOpts {
  return new Command('settings')
    .description('show all settings of a context, and the progress of its re-index')
    .argument('<context>', 'id or name')
    .action(async (idOrName, _given, command) => {
      const options = globalOptions(command)
      const settings = await withDatabase(options, async (engine) => {
        const session = ownerSession(engine)
        return await session.contexts.settings((await findContext(session, idOrName)).id)
      })
      printRecord(options, settings)
    })
}

function updateCommand(): CommandUnknownOpts {
  return new Command('update')
    .description(
      'change a context; options that are left out change nothing. Another model, chunk size or overlap cuts and embeds ' +
        'the documents a second time, while searches go on, and the command waits',
    )
    .argument('<context>', 'id or name')
    .addOption(option('--name <text>', 'new name', 'context'))
    .addOption(option('--description <text>', 'system instructions'))
    .addOption(option('--caption <text>', 'statement of purpose'))
    .addOption(toolsOption())
    .addOption(option('--top-n <number>', 'most results of a search').argParser(parseNumber))
    .addOption(option('--score-threshold <number>', 'lowest similarity of a result').argParser(parseNumber))
    .addOption(searchModeOption())
    .addOption(findsEarlyOption())
    .addOption(modelOption('reindex'))
    .addOption(chunkSizeOption('reindex'))
    .addOption(overlapOption('reindex'))
    .action(async (idOrName, given, command) => {
      const options = globalOptions(command)
      const { tools } = given
      const toolsJson = tools === undefined ? undefined : await readTools(tools)
      const ofChunks = chunkSettings(given)
      const update = async (engine: Engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, idOrName)
        const { name, description, caption } = given
        const settings = { ...searchSettings(given), ...ofChunks }
        const updated = await session.contexts.update(id, { name, description, caption, toolsJson, settings })
        const { reindexing } = isReindexing ? await waitForReindex(session, updated) : { reindexing: null }
        if (isReindexing) await clearAway(engine)
        return { updated: await session.contexts.get(id), error: reindexing?.error ?? null }
      }
      const isReindexing = Object.keys(ofChunks).length > 0
      const { updated, error } = isReindexing
        ? await withEngineOrDatabase(options, update, tellInterrupted)
        : await withDatabase(options, update)
      const reindexed = isReindexing && error === null ? ' All documents are indexed with the new settings.' : ''
      printResult(options, updated, `Updated context ${updated.id}, ${updated.name}.${reindexed}`)
      if (error === null) return
      tell(`the re-index has stopped: ${error}; searches use the former settings`)
      process.exitCode = 1
    })
}

function shareCommand(): CommandUnknownOpts {
  return new Command('share')
    .description("share a context with its account's users, or make it private")
    .argument('<context>', 'id or name')
    .addArgument(new Argument('<state>', 'shared or private').choices(['on', 'off']))
    .addOption(option('--icon <emoji>', 'one emoji'))
    .action(async (idOrName, state, { icon }, command) => {
      const options = globalOptions(command)
      const shared = await withDatabase(options, async (engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, idOrName)
        await session.contexts.share(id, { shareState: state === 'on' ? 1 : 0, ...(icon !== undefined && { icon }) })
        return await session.contexts.get(id)
      })
      printResult(options, shared, `Context ${shared.id} is ${shared.shareState === 1 ? 'shared' : 'private'}.`)
    })
}

function handOverCommand(): CommandUnknownOpts {
  return new Command('hand-over')
    .description('give a context to another user')
    .argument('<context>', 'id of a context of any company, or name')
    .addOption(option('--to <id>', 'user who gets the context', 'hand-over').argParser(parseId).makeOptionMandatory())
    .action(async (idOrName, { to }, command) => {
      const options = globalOptions(command)
      const context = await withDatabase(options, async (engine) => {
        const isId = /^[1-9]\d{0,15}$/.test(idOrName)
        const id = isId ? Number(idOrName) : (await findContext(ownerSession(engine), idOrName)).id
        return await engine.administration.contexts.handOver(id, { toUserId: to })
      })
      printResult(options, context, `Context ${context.id}, ${context.name}, belongs to user ${context.userId} now.`)
    })
}

function deleteCommand(): CommandUnknownOpts {
  return new Command('delete')
    .description('delete a context with its documents')
    .argument('<context>', 'id or name')
    .action(async (idOrName, _given, command) => {
      const options = globalOptions(command)
      const { id, name } = await withEngineOrDatabase(options, async (engine) => {
        const session = ownerSession(engine)
        const context = await findContext(session, idOrName)
        await session.contexts.delete(context.id)
        await clearAway(engine)
        return context
      })
      printResult(options, {}, `Deleted context ${id}, ${name}.`)
    })
}

function searchModeOption() {
  return option('--search-mode <mode>', 'how a search finds chunks: by words, by meaning or by both').choices(
    SEARCH_MODES,
  )
}

function findsEarlyOption() {
  const description = 'let a search find documents by their words while their vectors are computed'
  return option('--finds-early <state>', description).choices(['on', 'off'])
}

/** The settings of the options that both `create` and `update` have. */
function searchSettings(given: {
  readonly topN?: number | undefined
  readonly scoreThreshold?: number | undefined
  readonly searchMode?: SearchMode | undefined
  readonly findsEarly?: 'on' | 'off' | undefined
}): NonNullable<ContextChanges['settings']> {
  const { topN, scoreThreshold, searchMode, findsEarly } = given
  return {
    ...(topN !== undefined && { topN }),
    ...(scoreThreshold !== undefined && { scoreThreshold }),
    ...(searchMode !== undefined && { searchMode }),
    ...(findsEarly !== undefined && { findsEarly: findsEarly === 'on' }),
  }
}

function toolsOption() {
  const parameters = 'parameters?: [{ paramName, type: string, integer or boolean, required, description }]'
  const members = `{ id, name, description, action: "Run Agent", agentId, ${parameters} }`
  return option('--tools <file>', `file with the tools: a JSON array of ${members}; [] for none`)
}

async function readTools(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new InvalidInputError('--tools', `cannot read the file ${file}`, { cause: error })
  }
}

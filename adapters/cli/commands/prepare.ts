import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type ChatPrompt, PASSAGE_KINDS } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import { findContext, ownerSession, withEngine } from '../engines/engines.js'
import { globalOptions, isSwitchedOn, option, parseCount, parseNumber } from '../options.js'
import { counted, oneLine, printable } from '../output/output.js'
import { filterOption } from './documents.js'
import { historyOption, readHistory } from './history.js'
import { listCopiesOption, minEvidenceOption, wordsOption } from './matching-options.js'

export function prepareCommand(): CommandUnknownOpts {
  return new Command('prepare')
    .description(
      "make a prompt for a model: the context's instructions, numbered passages for a question, and the question. " +
        '--json prints messages and tools as an API with the protocol of OpenAI takes them, and the sources to cite',
    )
    .argument('<question>')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(historyOption())
    .addOption(
      option(
        '--max-tokens <number>',
        'most tokens of messages and tools, by an estimate; default: 8,000, or more for a long question',
      ).argParser(parseCount),
    )
    .addOption(
      option('--prompt <text>', 'what to search for; default: the question, with words of the history', 'prepare'),
    )
    .addOption(
      option('--passages <kind>', 'the best windows of chunks (default), or whole chunks').choices(PASSAGE_KINDS),
    )
    .addOption(
      option(
        '--top <number>',
        'most chunks; default: enough for the budget, or the setting for whole chunks',
      ).argParser(parseNumber),
    )
    .addOption(
      option(
        '--score-threshold <number>',
        "lowest similarity of a chunk, 0 to 1; default: the context's setting",
        'search',
      ).argParser(parseNumber),
    )
    .addOption(option('--mode <mode>', "how to find chunks; default: the context's setting").choices(SEARCH_MODES))
    .addOption(wordsOption())
    .addOption(minEvidenceOption())
    .addOption(listCopiesOption())
    .addOption(filterOption('search only documents that meet these conditions, as JSON'))
    .action(async (question, given, command) => {
      const options = globalOptions(command)
      const {
        history: file,
        maxTokens,
        prompt,
        top: topN,
        scoreThreshold,
        mode,
        filter,
        passages,
        words,
        minEvidence,
      } = given
      const collapse = isSwitchedOn(command, 'listCopies') ? false : undefined
      const history = file === undefined ? undefined : await readHistory(file)
      const prepared = await withEngine(options, async (engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, given.context)
        const settings = { mode, topN, scoreThreshold, filter, words, minEvidence, collapse }
        return await session.prepare(id, question, { history, maxTokens, passages, prompt, ...settings })
      })
      if (options.json) process.stdout.write(`${JSON.stringify(prepared)}\n`)
      else printPrompt(prepared)
    })
}

/** Prints each message below its role, and what was left out. */
function printPrompt({ messages, sources, tools, tokens, omitted }: ChatPrompt): void {
  const parts = messages.map(({ role, content }) => `--- ${role}\n${printable(content)}\n`)
  const names = tools.map((tool) => tool.function.name)
  const lines = [
    `--- about ${counted(tokens, 'token')}, ${counted(sources.length, 'passage')}`,
    ...(names.length === 0 ? [] : [`tools: ${names.join(', ')}`]),
    ...(omitted.chunks === 0 ? [] : [`no room for ${counted(omitted.chunks, 'more chunk')}`]),
    ...(omitted.messages === 0 ? [] : [`no room for ${counted(omitted.messages, 'older message')}`]),
  ]
  process.stdout.write(`${[...parts, ...lines.map(oneLine)].join('\n')}\n`)
}

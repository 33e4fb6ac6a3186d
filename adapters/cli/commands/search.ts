import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Document, SearchResult } from '../../../src/index.js'
import { ownerSession, withEngine } from '../engines.js'
import { findContext } from '../find-context.js'
import { globalOptions, option, parseNumber } from '../options.js'
import { printPassages } from '../passages.js'

export function searchCommand(): CommandUnknownOpts {
  return new Command('search')
    .description('find the chunks of a context that are nearest in meaning to a prompt')
    .argument('<prompt>')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(option('--top <number>', "most results; default the context's").argParser(parseNumber))
    .action(async (prompt, given, command) => {
      const options = globalOptions(command)
      const { results, documents } = await withEngine(options, async (engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, given.context)
        const limit = given.top === undefined ? {} : { topN: given.top }
        const found: SearchResult[] = await session.search(id, prompt, limit)
        const listed: Document[] = options.json ? [] : await session.documents.list(id)
        return { results: found, documents: listed }
      })
      if (options.json) process.stdout.write(`${JSON.stringify(results)}\n`)
      else printPassages(results, documents)
    })
}

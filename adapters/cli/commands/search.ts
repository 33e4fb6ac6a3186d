import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { IncludedMember, SearchResult } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import { findContext, ownerSession, withEngine } from '../engines.js'
import { globalOptions, option, parseList, parseNumber } from '../options.js'
import { printPassages } from '../passages.js'
import { filterOption } from './documents.js'

const MEMBERS: readonly IncludedMember[] = ['score', 'source', 'match']

export function searchCommand(): CommandUnknownOpts {
  return new Command('search')
    .description('find the chunks of a context that answer a prompt, by words and meaning')
    .argument('<prompt>')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(option('--top <number>', "most results; default: the context's setting").argParser(parseNumber))
    .addOption(option('--mode <mode>', "how to find chunks; default: the context's setting").choices(SEARCH_MODES))
    .addOption(
      option('--include <members>', 'more members for --json: score, source, match, separated by commas').argParser(
        parseMembers,
      ),
    )
    .addOption(filterOption('search only documents that meet these conditions, as JSON'))
    .action(async (prompt, given, command) => {
      const options = globalOptions(command)
      const results = await withEngine(options, async (engine) => {
        const session = ownerSession(engine)
        const { id } = await findContext(session, given.context)
        const found: SearchResult[] = await session.search(id, prompt, {
          ...(given.top !== undefined && { topN: given.top }),
          ...(given.mode !== undefined && { mode: given.mode }),
          ...(given.filter !== undefined && { filter: given.filter }),
        })
        return found
      })
      if (!options.json) printPassages(results)
      else process.stdout.write(`${JSON.stringify(results.map((result) => toJson(result, given.include ?? [])))}\n`)
    })
}

/** The four fields of the page (docs/explanation/specification.md, "Search result"), and the members of `--include`. */
function toJson(result: SearchResult, include: readonly IncludedMember[]): Partial<SearchResult> {
  const { id, docId, content, similarity } = result
  const members = MEMBERS.filter((name) => include.includes(name))
  return { id, docId, content, similarity, ...Object.fromEntries(members.map((name) => [name, result[name]])) }
}

function parseMembers(text: string): readonly IncludedMember[] {
  const names = parseList(text)
  const members = MEMBERS.filter((member) => names.includes(member))
  const unknown = names.find((name) => !members.some((member) => member === name))
  if (unknown === undefined) return members
  throw new InvalidArgumentError(`Unknown member "${unknown}"; expected one of ${MEMBERS.join(', ')}.`)
}

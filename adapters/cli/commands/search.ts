import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { IncludedMember } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import { findContext, ownerSession, withEngine } from '../engines.js'
import { collectEach, globalOptions, option, parseList, parseNumber } from '../options.js'
import { type FoundChunk, printPassages } from '../passages.js'
import { filterOption } from './documents.js'

const MEMBERS: readonly IncludedMember[] = ['score', 'source', 'match']

export function searchCommand(): CommandUnknownOpts {
  return new Command('search')
    .description('find the chunks of one or more contexts that answer a prompt, by words and meaning')
    .argument('<prompt>')
    .addOption(
      option('--context <context>', 'id or name; repeat the option to search several contexts')
        .argParser(collectEach)
        .makeOptionMandatory(),
    )
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
        const contexts = new Map<number, string>()
        for (const context of given.context) {
          const { id, name } = await findContext(session, context)
          contexts.set(id, name)
        }
        const found = await session.searchAll([...contexts.keys()], prompt, {
          ...(given.top !== undefined && { topN: given.top }),
          ...(given.mode !== undefined && { mode: given.mode }),
          ...(given.filter !== undefined && { filter: given.filter }),
        })
        // The fields of the specification are enough for one context.
        if (contexts.size === 1) return found.map(({ contextId: _, ...result }): FoundChunk => result)
        return found.map((result) => ({ ...result, contextName: contexts.get(result.contextId) }))
      })
      if (!options.json) printPassages(results)
      else process.stdout.write(`${JSON.stringify(results.map((result) => toJson(result, given.include ?? [])))}\n`)
    })
}

/**
 * The four fields of the page (docs/explanation/specification.md, "Search result"), and the members of `--include`. A
 * search of several contexts adds `contextId`.
 */
function toJson(result: FoundChunk, include: readonly IncludedMember[]): object {
  const { contextId, id, docId, content, similarity } = result
  const members = MEMBERS.filter((name) => include.includes(name))
  return {
    ...(contextId !== undefined && { contextId }),
    ...{ id, docId, content, similarity },
    ...Object.fromEntries(members.map((name) => [name, result[name]])),
  }
}

function parseMembers(text: string): readonly IncludedMember[] {
  const names = parseList(text)
  const members = MEMBERS.filter((member) => names.includes(member))
  const unknown = names.find((name) => !members.some((member) => member === name))
  if (unknown === undefined) return members
  throw new InvalidArgumentError(`Unknown member "${unknown}"; expected one of ${MEMBERS.join(', ')}.`)
}

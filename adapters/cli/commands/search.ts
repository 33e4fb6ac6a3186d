import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { IncludedMember, SearchMode, SearchOptions, Session } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import { findContext, ownerSession, withEngine } from '../engines/engines.js'
import {
  collectEach,
  type GlobalOptions,
  globalOptions,
  isSwitchedOn,
  option,
  parseList,
  parseNumber,
} from '../options.js'
import { type NamedExplanation, printExplanation } from '../output/explanations.js'
import { type FoundChunk, printPassages } from '../output/passages.js'
import { filterOption } from './documents.js'
import { historyOption, readHistory } from './history.js'
import { listCopiesOption, minEvidenceOption, wordsOption } from './matching-options.js'

const MEMBERS: readonly IncludedMember[] = ['score', 'source', 'match', 'snippet']

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
    .addOption(
      option(
        '--score-threshold <number>',
        "lowest similarity of a result, 0 to 1; default: the context's setting",
        'search',
      ).argParser(parseNumber),
    )
    .addOption(option('--mode <mode>', "how to find chunks; default: the context's setting").choices(SEARCH_MODES))
    .addOption(
      option(
        '--include <members>',
        'more members for --json: score, source, match, snippet, separated by commas',
      ).argParser(parseMembers),
    )
    .addOption(historyOption())
    .addOption(filterOption('search only documents that meet these conditions, as JSON'))
    .addOption(wordsOption())
    .addOption(minEvidenceOption())
    .addOption(listCopiesOption())
    .addOption(option('--explain', 'say why the search finds what it finds, or why it finds nothing'))
    .action(async (prompt, given, command) => {
      const options = globalOptions(command)
      const search = await searchOptions(given, isSwitchedOn(command, 'listCopies'))
      if (isSwitchedOn(command, 'explain')) {
        await explain(options, prompt, given.context, search)
        return
      }
      const results = await withEngine(options, async (engine) => {
        const session = ownerSession(engine)
        const contexts = await findContexts(session, given.context)
        const found = await session.searchAll([...contexts.keys()], prompt, search)
        // The fields of the specification are enough for one context.
        if (contexts.size === 1) return found.map(({ contextId: _, ...result }): FoundChunk => result)
        return found.map((result) => ({ ...result, contextName: contexts.get(result.contextId) }))
      })
      if (!options.json) printPassages(results)
      else process.stdout.write(`${JSON.stringify(results.map((result) => toJson(result, given.include ?? [])))}\n`)
    })
}

/** The options of a search that replace settings of its contexts. */
interface GivenOptions {
  readonly top?: number | undefined
  readonly scoreThreshold?: number | undefined
  readonly mode?: SearchMode | undefined
  readonly filter?: SearchOptions['filter']
  readonly history?: string | undefined
  readonly words?: SearchOptions['words']
  readonly minEvidence?: number | undefined
}

async function searchOptions(
  { top, scoreThreshold, mode, filter, history, words, minEvidence }: GivenOptions,
  listsCopies: boolean,
): Promise<SearchOptions> {
  return {
    ...(history !== undefined && { history: await readHistory(history) }),
    ...(top !== undefined && { topN: top }),
    ...(scoreThreshold !== undefined && { scoreThreshold }),
    ...(mode !== undefined && { mode }),
    ...(filter !== undefined && { filter }),
    ...(words !== undefined && { words }),
    ...(minEvidence !== undefined && { minEvidence }),
    ...(listsCopies && { collapse: false }),
  }
}

/** @returns the names of the contexts by id */
async function findContexts(session: Session, given: readonly string[]): Promise<ReadonlyMap<number, string>> {
  const contexts = new Map<number, string>()
  for (const context of given) {
    const { id, name } = await findContext(session, context)
    contexts.set(id, name)
  }
  return contexts
}

/** Explains the search of each context. JSON is an object for one context, and an array for several. */
async function explain(
  options: GlobalOptions,
  prompt: string,
  given: readonly string[],
  search: SearchOptions,
): Promise<void> {
  const explained = await withEngine(options, async (engine) => {
    const session = ownerSession(engine)
    const contexts = await findContexts(session, given)
    const explanations: NamedExplanation[] = []
    for (const [id, name] of contexts) {
      explanations.push({ name, explanation: await session.explain(id, prompt, search) })
    }
    return explanations
  })
  const [only, ...others] = explained.map(({ explanation }) => explanation)
  if (options.json) process.stdout.write(`${JSON.stringify(others.length === 0 ? only : [only, ...others])}\n`)
  else for (const one of explained) printExplanation(one)
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

import { type ChatTool, type Context, type Contexts, storedToolsOf, toChatTool } from '../../contexts/index.js'
import type { Documents } from '../../documents/index.js'
import { InvalidInputError, NotFoundError } from '../../kernel/errors.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { type CallTurns, type Principal, parsePrincipal } from '../../tenancy/index.js'
import type { HistoryMessage } from '../history-words.js'
import type { SearchResult } from '../results.js'
import type { Search } from '../search.js'
import { checkedOptions, type SearchOptions } from '../search-input.js'
import type { ChatMessage, ChatPrompt, ChatSource } from './chat-prompt.js'
import { passageParts, questionMessage, systemMessage } from './chat-text.js'
import { mergePassages, type ReadText } from './merged-passages.js'
import { defaultMaxTokens, type PrepareOptions, parsePrepare } from './prepare-input.js'
import { shortenPassage } from './shortened-passage.js'
import { TokenMeter } from './token-meter.js'
import { gapReader, inTextOrder, windowPassages } from './window-passages.js'

/** Tokens that a model's protocol adds to each message, and to the whole prompt. */
const [TOKENS_OF_MESSAGE, TOKENS_OF_PROMPT] = [4, 3]
/** The chunks whose windows are compared may have so many times the text of the budget. More find hardly more answers. */
const TEXT_PER_BUDGET = 3
const CHARACTERS_PER_TOKEN = 4
const [MIN_CHUNKS, MAX_CHUNKS] = [10, 100]
/** Factor by which the number of chunks is raised if they have too little text. */
const WIDENING_FACTOR = 4
/** Share of the room that the newest messages of the history get before the passages. The rest goes to passages first. */
const HISTORY_SHARE = 0.25

/** The use case "prepare": makes a prompt of a context's instructions, the passages for a question, and the question. */
export class PrepareChat {
  constructor(
    private readonly contexts: Pick<Contexts, 'get'>,
    private readonly search: Pick<Search, 'execute' | 'windows'>,
    private readonly documents: Pick<Documents, 'text'>,
    private readonly turns: CallTurns,
  ) {}

  /**
   * @throws InvalidInputError for an invalid question or option, and if instructions, tools and question alone have more
   *   than `maxTokens`
   * @throws as `Contexts.get` and `Search.execute`
   */
  async execute(
    principal: Principal,
    contextId: number,
    question: string,
    options: PrepareOptions = {},
  ): Promise<ChatPrompt> {
    const caller = parsePrincipal(principal)
    const { given, context, composition, maxTokens } = await this.turns.run(caller, async () => {
      const { question: asked, maxTokens: most, countTokens, ...others } = parsePrepare(question, options)
      const found = await this.contexts.get(caller, contextId)
      const begun = await Composition.begin(found, asked, { countTokens, signal: others.signal })
      return { given: others, context: found, composition: begun, maxTokens: await begun.budget(most) }
    })
    const { history = [], passages = 'windows', prompt, ...settings } = given
    const text = prompt ?? composition.question
    const search = prompt === undefined ? { ...settings, history } : settings
    const readText = this.#textReader(caller)
    const { results, merge } =
      passages === 'windows'
        ? await this.#findWindows(caller, context, text, { ...search, maxTokens }, readText)
        : {
            results: await this.search.execute(caller, contextId, text, checkedOptions(text, search)),
            merge: mergeOnce(readText),
          }
    return await this.turns.run(caller, async () => await composition.compose(results, history, { maxTokens, merge }))
  }

  /** Searches again for more chunks if the chunks of the context are too short to fill the budget. */
  async #findWindows(
    caller: Principal,
    { id, chunkSize }: Context,
    text: string,
    { maxTokens, ...search }: SearchOptions & { readonly maxTokens: number },
    readText: ReadText,
  ): Promise<{ readonly results: readonly SearchResult[]; readonly merge: Merge }> {
    const usual = Math.ceil((maxTokens * TEXT_PER_BUDGET) / chunkSize)
    for (let topN = search.topN ?? Math.max(MIN_CHUNKS, usual); ; topN *= WIDENING_FACTOR) {
      const options = checkedOptions(text, { ...search, topN: Math.min(MAX_CHUNKS, topN) })
      const found = await this.search.windows(caller, id, text, options)
      const length = found.reduce((sum, { result }) => sum + result.content.length, 0)
      const isEnough = length >= maxTokens * CHARACTERS_PER_TOKEN
      if (search.topN !== undefined || isEnough || found.length < topN || topN >= MAX_CHUNKS) {
        const merge = mergeOnce(gapReader(found, readText))
        return { results: windowPassages(found), merge: async (some) => inTextOrder(await merge(some)) }
      }
    }
  }

  #textReader(principal: Principal): ReadText {
    return async (uuid, range) => {
      try {
        return await this.documents.text(principal, uuid, range)
      } catch (error) {
        // The document was deleted or replaced meanwhile, or its version stored no white space.
        if (error instanceof NotFoundError || error instanceof InvalidInputError) return undefined
        throw error
      }
    }
  }
}

/** A context may have thousands of tools. */
async function chatToolsOf(context: Context): Promise<readonly ChatTool[]> {
  const slice = new TimeSlice()
  const tools: ChatTool[] = []
  for (const tool of storedToolsOf(context)) {
    tools.push(toChatTool(tool))
    await slice.pauseIfOver()
  }
  return tools
}

type Merge = (results: readonly SearchResult[]) => Promise<ChatSource[]>

/** Merges results. It reads each gap between them once. */
function mergeOnce(readText: ReadText): Merge {
  const gaps = new Map<string, string | undefined>()
  const readOnce: ReadText = async (uuid, range) => {
    const key = `${uuid}:${range.start}:${range.end}`
    if (!gaps.has(key)) gaps.set(key, await readText(uuid, range))
    return gaps.get(key)
  }
  return async (results) => await mergePassages(results, readOnce)
}

/** The tools of a prompt, and what counts its tokens. */
interface CompositionParts {
  readonly tools: readonly ChatTool[]
  readonly toolTokens: number
  readonly meter: TokenMeter
}

/** One prompt in the making. */
class Composition {
  readonly #system: ChatMessage
  readonly #tools: readonly ChatTool[]
  readonly #toolTokens: number
  readonly #meter: TokenMeter

  private constructor(
    context: Context,
    readonly question: string,
    { tools, toolTokens, meter }: CompositionParts,
  ) {
    this.#system = systemMessage(context.description)
    this.#tools = tools
    this.#toolTokens = toolTokens
    this.#meter = meter
  }

  static async begin(
    context: Context,
    question: string,
    counting: Pick<PrepareOptions, 'countTokens' | 'signal'>,
  ): Promise<Composition> {
    const meter = new TokenMeter(counting)
    const tools = await chatToolsOf(context)
    const toolTokens = tools.length === 0 ? 0 : await meter.count(JSON.stringify(tools))
    return new Composition(context, question, { tools, toolTokens, meter })
  }

  /**
   * @returns the maximum number of tokens: as given, or by default enough for the question
   * @throws InvalidInputError if instructions, tools and question alone have more
   */
  async budget(given: number | undefined): Promise<number> {
    const least = await this.#tokensOf([this.#system, await questionMessage(this.question, [])])
    const maxTokens = given ?? defaultMaxTokens(least)
    if (maxTokens < least) {
      throw new InvalidInputError(
        'maxTokens',
        `must be at least ${least}, the tokens of the instructions, the tools and the question`,
      )
    }
    return maxTokens
  }

  async compose(
    results: readonly SearchResult[],
    history: readonly HistoryMessage[],
    { maxTokens, merge }: { readonly maxTokens: number; readonly merge: Merge },
  ): Promise<ChatPrompt> {
    const room = maxTokens - (await this.#tokensOf([this.#system, { role: 'user', content: this.question }]))
    const reserved = await this.#costOf(await this.#newest(history, room * HISTORY_SHARE))
    let { sources, used } = await this.#select(results, room - reserved, merge)
    let kept = await this.#newest(history, room - (await this.#costOfSources(sources)))
    for (;;) {
      const messages = [this.#system, ...kept, await questionMessage(this.question, sources)]
      const tokens = await this.#tokensOf(messages)
      if (tokens <= maxTokens) {
        const omitted = { chunks: countOmitted(results, used), messages: history.length - kept.length }
        return { messages, sources, tools: this.#tools, tokens, omitted }
      }
      // The parts fit, but not the whole: a host's counter may count a whole higher than its parts.
      if (sources.length > 0) {
        used -= 1
        sources = await merge(results.slice(0, used))
      } else {
        kept = withoutAnswers(kept.slice(1))
      }
    }
  }

  /** @returns as many of the best results as fit, as passages; the last one is shortened if that makes it fit */
  async #select(
    results: readonly SearchResult[],
    room: number,
    merge: Merge,
  ): Promise<{ sources: readonly ChatSource[]; used: number }> {
    const fit = async (some: readonly SearchResult[]): Promise<boolean> => {
      return (await this.#costOfSources(await merge(some))) <= room
    }
    let [used, most] = [0, results.length]
    for (let middle = most; used < most; middle = Math.ceil((used + most) / 2)) {
      if (await fit(results.slice(0, middle))) used = middle
      else most = middle - 1
    }
    const whole = results.slice(0, used)
    const next = results[used]
    const part = next && (await shortenPassage(next, async (shorter) => await fit([...whole, shorter])))
    if (part === undefined) return { sources: await merge(whole), used }
    return { sources: await merge([...whole, part]), used: used + 1 }
  }

  /** @returns the newest messages that fit. An answer whose question is left out is left out too */
  async #newest(history: readonly HistoryMessage[], room: number): Promise<readonly HistoryMessage[]> {
    let [first, cost] = [history.length, 0]
    while (first > 0) {
      cost += await this.#costOf(history.slice(first - 1, first))
      if (cost > room) break
      first -= 1
    }
    return first === 0 ? history : withoutAnswers(history.slice(first))
  }

  async #tokensOf(messages: readonly ChatMessage[]): Promise<number> {
    return (await this.#costOf(messages)) + this.#toolTokens + TOKENS_OF_PROMPT
  }

  async #costOf(messages: readonly ChatMessage[]): Promise<number> {
    let tokens = 0
    for (const { content } of messages) tokens += TOKENS_OF_MESSAGE + (await this.#meter.count(content))
    return tokens
  }

  async #costOfSources(sources: readonly ChatSource[]): Promise<number> {
    let tokens = 0
    for (const part of passageParts(sources)) tokens += await this.#meter.count(part)
    return tokens
  }
}

/** @returns the number of chunks of which the first results have nothing */
function countOmitted(results: readonly SearchResult[], used: number): number {
  const omitted = new Set(results.map(({ id }) => id))
  for (const { id } of results.slice(0, used)) omitted.delete(id)
  return omitted.size
}

/** Some models accept only a history that begins with the user. */
function withoutAnswers(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const first = history.findIndex(({ role }) => role === 'user')
  return first === -1 ? [] : history.slice(first)
}

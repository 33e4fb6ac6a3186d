import * as ai from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import * as ai5 from 'ai-5'
import { MockLanguageModelV2 } from 'ai-5/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentRun, agentTools, searchTool } from '../../../adapters/ai-sdk/index.js'
import type { Session, Tool } from '../../../src/index.js'
import { StorageError } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'

const LEAVE = 'Parental leave lasts eighteen weeks.'
const LUNCH = 'The canteen serves lunch from eleven.'
const BOOK: Tool = {
  id: 1,
  name: 'book_room',
  description: 'Books a room.',
  action: 'Run Agent',
  agentId: 7,
  parameters: [
    { paramName: 'seats', type: 'integer', required: true, description: 'Number of seats' },
    { paramName: 'Tag', type: 'string', required: false, description: 'The day' },
    { paramName: 'mit Beamer', type: 'boolean', required: false, description: 'With a screen' },
  ],
}

/** A call of a tool by a model, and the text of its answer after the result. */
interface Script {
  readonly toolName: string
  readonly input: unknown
  readonly answer: string
}

/** The input of the model: its tools in the first call, and the result of the tool in the second. */
interface Heard {
  readonly text: string
  readonly tools: readonly unknown[]
  readonly result: unknown
}

/** Arguments that the SDK passes to a model. */
interface ModelCall {
  readonly tools?: unknown
  readonly prompt: unknown
}

const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** Generates a text with the current version of the SDK. */
async function withVersion6(tools: ai.ToolSet, script: Script, abortSignal?: AbortSignal): Promise<Heard> {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const calls: ModelCall[] = []
  const model = new MockLanguageModelV3({
    doGenerate: async (options) => {
      calls.push(options)
      const call = { type: 'tool-call' as const, toolCallId: '1', toolName: script.toolName }
      const isFirst = calls.length === 1
      return await Promise.resolve({
        content: isFirst
          ? [{ ...call, input: JSON.stringify(script.input) }]
          : [{ type: 'text' as const, text: script.answer }],
        finishReason: { unified: isFirst ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage,
        warnings: [],
      })
    },
  })
  const { text } = await ai.generateText({
    model,
    tools,
    prompt: 'How long is parental leave?',
    stopWhen: ai.stepCountIs(3),
    ...(abortSignal && { abortSignal }),
  })
  return heardBy(text, calls)
}

/** Generates a text with the version before. */
async function withVersion5(tools: ai5.ToolSet, script: Script): Promise<Heard> {
  const calls: ModelCall[] = []
  const model = new MockLanguageModelV2({
    doGenerate: async (options) => {
      calls.push(options)
      const call = { type: 'tool-call' as const, toolCallId: '1', toolName: script.toolName }
      const isFirst = calls.length === 1
      return await Promise.resolve({
        content: isFirst
          ? [{ ...call, input: JSON.stringify(script.input) }]
          : [{ type: 'text' as const, text: script.answer }],
        finishReason: isFirst ? ('tool-calls' as const) : ('stop' as const),
        usage: USAGE,
        warnings: [],
      })
    },
  })
  const prompt = 'How long is parental leave?'
  const { text } = await ai5.generateText({ model, tools, prompt, stopWhen: ai5.stepCountIs(3) })
  return heardBy(text, calls)
}

function heardBy(text: string, calls: readonly ModelCall[]): Heard {
  const last = (calls[1]?.prompt as readonly { readonly content: readonly { readonly output?: unknown }[] }[]).at(-1)
  return { text, tools: calls[0]?.tools as readonly unknown[], result: last?.content[0]?.output }
}

let memory: MemoryEngine
let contextId: number

beforeAll(async () => {
  memory = await memoryEngine()
  const { session } = memory
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, toolsJson: JSON.stringify([BOOK]) })).id
  await uploadText(session, contextId, 'leave.txt', LEAVE)
  await uploadText(session, contextId, 'lunch.txt', LUNCH)
})

afterAll(async () => {
  await memory.engine.close()
})

const VERSIONS = [
  ['6', withVersion6],
  ['5', withVersion5],
] as const

describe.each(VERSIONS)('the AI SDK, version %s', (_version, generate) => {
  it('searches by searchTool, and gives the model the passages', async () => {
    const search = searchTool(memory.session, contextId, { topN: 1 })
    const script = { toolName: 'search', input: { query: 'parental leave' }, answer: 'Eighteen weeks [1].' }
    const { text, tools, result } = await generate({ search }, script)
    expect(text).toBe('Eighteen weeks [1].')
    expect(tools).toMatchObject([
      {
        type: 'function',
        name: 'search',
        description: search.description,
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string', minLength: 1, maxLength: 32_768 } },
          required: ['query'],
        },
      },
    ])
    const [found] = await memory.session.search(contextId, 'parental leave')
    expect(result).toEqual({
      type: 'json',
      value: {
        passages: [
          {
            number: 1,
            document: 'leave.txt',
            content: LEAVE,
            pages: null,
            headings: [],
            uuid: found?.source.uuid,
            start: 0,
            end: LEAVE.length,
          },
        ],
      },
    })
  })

  it('gives the model the message of an error', async () => {
    const search = searchTool(memory.session, 999)
    const script = { toolName: 'search', input: { query: 'leave' }, answer: 'I cannot search.' }
    const { text, result } = await generate({ search }, script)
    expect(text).toBe('I cannot search.')
    expect(JSON.stringify(result)).toContain('id 999')
  })

  it('gives the model nothing of a failure inside', async () => {
    const broken = {
      ...memory.session,
      searchAll: async () => await Promise.reject(new StorageError('no /var/lib/x', { isTransient: false })),
    }
    const script = { toolName: 'search', input: { query: 'leave' }, answer: 'I cannot search.' }
    const { result } = await generate({ search: searchTool(broken, contextId) }, script)
    expect(JSON.stringify(result)).toContain('(ERR_STORAGE)')
    expect(JSON.stringify(result)).not.toContain('/var/lib')
  })

  it('runs agents by agentTools, with the names of the tool', async () => {
    const runs: AgentRun[] = []
    const context = await memory.session.contexts.get(contextId)
    const tools = agentTools(context, async (run) => {
      runs.push(run)
      return await Promise.resolve({ booked: true })
    })
    const input = { seats: 4, mit_Beamer: true }
    const { text, tools: sent, result } = await generate(tools, { toolName: 'book_room', input, answer: 'Booked.' })
    expect(text).toBe('Booked.')
    expect(sent).toMatchObject([
      {
        name: 'book_room',
        description: 'Books a room.',
        inputSchema: {
          type: 'object',
          properties: {
            seats: { type: 'integer', description: 'Number of seats' },
            Tag: { type: 'string', description: 'The day' },
            mit_Beamer: { type: 'boolean', description: 'mit Beamer: With a screen' },
          },
          required: ['seats'],
          additionalProperties: false,
        },
      },
    ])
    expect(runs).toMatchObject([{ agentId: 7, tool: BOOK, parameters: { seats: 4, 'mit Beamer': true } }])
    expect(result).toEqual({ type: 'json', value: { booked: true } })
  })

  it('tells the model about arguments that do not fit, and runs no agent', async () => {
    const tools = agentTools({ toolsJson: JSON.stringify([BOOK]) }, () => Promise.reject(new Error('was called')))
    const script = { toolName: 'book_room', input: { seats: 'four' }, answer: 'How many seats?' }
    const { text, result } = await generate(tools, script)
    expect(text).toBe('How many seats?')
    expect(JSON.stringify(result)).toMatch(/seats/)
    expect(JSON.stringify(result)).not.toMatch(/was called/)
  })
})

describe('searchTool', () => {
  it('numbers its passages over all its calls, so that each number means one passage', async () => {
    const search = searchTool(memory.session, [contextId], { topN: 1 })
    const calls = ['parental leave', 'lunch'].map(async (query) => (await search.execute({ query })).passages)
    const found = (await Promise.all(calls)).flat().map(({ number, document }) => [number, document])
    expect(found.map(([number]) => number).sort()).toEqual([1, 2])
    expect(found.map(([, document]) => document)).toEqual(['leave.txt', 'lunch.txt'])
    const another = searchTool(memory.session, contextId, { topN: 1, description: 'Looks for rules.' })
    expect(another.description).toBe('Looks for rules.')
    expect((await another.execute({ query: 'lunch' })).passages[0]?.number).toBe(1)
  })

  it('joins the chunks of a document', async () => {
    const { session } = memory
    const settings = { chunkSizeTokens: 16, overlap: 0 }
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
    const text = Array.from({ length: 12 }, (_, at) => `Gate g${at} opens at ${at}.`).join('\n\n')
    await uploadText(session, id, 'gates.txt', text)
    expect((await session.search(id, 'gate', { topN: 50 })).length).toBeGreaterThan(3)
    const { passages } = await searchTool(session, id, { topN: 50 }).execute({ query: 'gate' })
    expect(passages).toMatchObject([{ number: 1, content: text, start: 0, end: text.length }])
  })

  it('fails if the texts between chunks cannot be read, and keeps the cause', async () => {
    const { session } = memory
    const cause = new StorageError('no /var/lib/x', { isTransient: false })
    const documents = { ...session.documents, text: async () => await Promise.reject(cause) }
    const found = await session.search(contextId, 'leave', { topN: 1 })
    const [{ source } = { source: undefined }] = found
    const next = {
      ...found[0],
      id: 99,
      source: { ...source, start: (source?.end ?? 0) + 9, end: (source?.end ?? 0) + 50 },
    }
    const broken = { documents, searchAll: async () => await Promise.resolve([...found, next]) } as unknown as Session
    await expect(searchTool(broken, contextId).execute({ query: 'leave' })).rejects.toMatchObject({
      cause,
      message: expect.stringMatching(/\(ERR_STORAGE\)$/) as string,
    })
  })

  it('ends with the generation', async () => {
    const search = searchTool(memory.session, contextId)
    const abortSignal = AbortSignal.abort(new Error('the user left'))
    await expect(search.execute({ query: 'leave' }, { abortSignal })).rejects.toThrow('the user left')
  })
})

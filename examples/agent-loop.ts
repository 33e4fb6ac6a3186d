/**
 * An assistant that runs agents: the model calls the context's tools until it has an answer. It talks to any server with
 * the protocol of OpenAI, by plain fetch.
 *
 *     OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.1 \
 *       npx tsx examples/agent-loop.ts 'Book a room for our team on Friday.'
 */
import { randomUUID } from 'node:crypto'
import { type ChatTool, type FunctionCall, InvalidInputError, readToolCall, type Tool, toolsOf } from 'alcove'
import { openLocalEngine } from 'alcove/local'

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', OPENAI_MODEL = 'gpt-4o-mini' } = process.env
const MAX_STEPS = 8

const TOOLS: readonly Tool[] = [
  {
    id: 1,
    name: 'book_room',
    description: 'Books a meeting room. Ask the documents for the size of a team first.',
    action: 'Run Agent',
    agentId: 7,
    parameters: [
      { paramName: 'seats', type: 'integer', required: true, description: 'Number of seats' },
      { paramName: 'day', type: 'string', required: true, description: 'The day, such as Friday' },
    ],
  },
]

/** The agents of the host's platform, by their ids. A real host would call its agent service. */
const AGENTS = new Map<number, (parameters: Readonly<Record<string, unknown>>) => Promise<string>>([
  [7, async ({ seats, day }) => await Promise.resolve(`Room Juniper, ${String(seats)} seats, ${String(day)}: booked.`)],
])

/** A message in the form of the chat completions. */
interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: FunctionCall }[]
  readonly tool_call_id?: string
}

const question = process.argv[2] ?? 'Book a room for our team on Friday.'
const engine = await openLocalEngine({ dataDir: process.env['DATA_DIR'] ?? './alcove-data' })
const session = engine.as(engine.owner)
const context = await session.contexts.create({
  name: 'Office',
  description: 'You help with the office.',
  caption: 'Office',
  toolsJson: JSON.stringify(TOOLS),
})
const content = 'Our team has four members: Ada, Bo, Cem and Dora.'
await session.documents.whenProcessed(await session.documents.upload(context.id, { fileName: 'team.txt', content }))

const { messages, tools } = await session.prepare(context.id, question, { maxTokens: 6_000 })
const chat: Message[] = [...messages]
for (let step = 0; step < MAX_STEPS; step += 1) {
  const answer = await ask(chat, tools)
  chat.push(answer)
  const calls = answer.tool_calls ?? []
  if (calls.length === 0) break
  for (const call of calls) chat.push({ role: 'tool', tool_call_id: call.id, content: await run(call.function) })
}
console.log(chat.at(-1)?.content ?? '')
await engine.close()

/** @returns the result for the model: the agent's, or what is wrong with the call, so that it can call again */
async function run(call: FunctionCall): Promise<string> {
  try {
    const { agentId, parameters } = readToolCall(toolsOf(context), call)
    console.log(`run agent ${agentId} with ${JSON.stringify(parameters)}`)
    return await runAgent(agentId, parameters)
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    console.log(`the model's call does not fit: ${error.message}`)
    return `Error: ${error.message}`
  }
}

/** Runs an agent, and records the events that receivers of webhooks wait for. */
async function runAgent(agentId: number, parameters: Readonly<Record<string, unknown>>): Promise<string> {
  const agent = AGENTS.get(agentId)
  if (agent === undefined) return `Error: there is no agent ${agentId}`
  const { companyId } = engine.owner
  const jobKey = randomUUID()
  await engine.events.record({ type: 'run.started', data: { jobKey }, companyId })
  const result = await agent(parameters)
  await engine.events.record({ type: 'run.completed', data: { jobKey, success: true }, companyId })
  return result
}

async function ask(history: readonly Message[], functions: readonly ChatTool[]): Promise<Message> {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: OPENAI_MODEL, messages: history, tools: functions }),
  })
  if (!response.ok) throw new Error(`the model's server answered ${response.status}: ${await response.text()}`)
  const { choices } = (await response.json()) as { readonly choices: readonly { readonly message: Message }[] }
  return choices[0]?.message ?? { role: 'assistant', content: '' }
}

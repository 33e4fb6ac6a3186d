/**
 * A chat about the documents of a folder, with citations. It talks to any server with the protocol of OpenAI, such as
 * Ollama, vLLM, LM Studio or OpenAI itself, by plain fetch.
 *
 *     OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.1 \
 *       npx tsx examples/chat-with-citations.ts examples/documents 'How long is parental leave?' 'Who pays it?'
 */
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AlcoveError, type ChatMessage, type ChatSource, type HistoryMessage, type Session } from 'alcove'
import { openLocalEngine } from 'alcove/local'

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', OPENAI_MODEL = 'gpt-4o-mini' } = process.env
const [folder, ...questions] = process.argv.slice(2)
if (folder === undefined || questions.length === 0) {
  console.error('usage: chat-with-citations FOLDER QUESTION...')
  process.exit(2)
}

const engine = await openLocalEngine({ dataDir: process.env['DATA_DIR'] ?? './alcove-data' })
const session = engine.as(engine.owner)
const contextId = await contextOf(session, folder)

// Only questions and answers are kept. The passages for a question serve that question alone.
const history: HistoryMessage[] = []
for (const question of questions) {
  const prompt = history.length === 0 ? question : await complete(question)
  const { messages, sources } = await session.prepare(contextId, question, { history, prompt, maxTokens: 6_000 })
  const answer = await ask(messages)
  console.log(`\n${question}\n${answer}`)
  for (const source of cited(answer, sources)) console.log(`  ${describe(source)}`)
  history.push({ role: 'user', content: question }, { role: 'assistant', content: answer })
}
await engine.close()

/** A question such as "Who pays it?" finds nothing without the chat before it. */
async function complete(question: string): Promise<string> {
  const content = `Write this question so that it can be understood alone. Answer with the question only.\n\n${question}`
  return await ask([...history, { role: 'user', content }])
}

async function ask(messages: readonly ChatMessage[]): Promise<string> {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: OPENAI_MODEL, messages }),
  })
  if (!response.ok) throw new Error(`the model's server answered ${response.status}: ${await response.text()}`)
  const { choices } = (await response.json()) as { readonly choices: readonly { readonly message: ChatMessage }[] }
  return choices[0]?.message.content ?? ''
}

/** The sources that an answer cites, such as [1]. A model may invent numbers: those have no source. */
function cited(answer: string, sources: readonly ChatSource[]): ChatSource[] {
  const numbers = new Set([...answer.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)))
  return sources.filter(({ number }) => numbers.has(number))
}

function describe({ number, displayName, pages, headings }: ChatSource): string {
  const place = [...(pages === null ? [] : [`page ${pages.first}`]), ...headings.slice(-1)].join(', ')
  return `[${number}] ${displayName}${place === '' ? '' : ` (${place})`}`
}

/** @returns the id of the context with the documents of the folder */
async function contextOf(owner: Session, name: string): Promise<number> {
  const known = (await owner.contexts.list()).find((context) => context.name === name)
  const description = 'Answer briefly, in the language of the question.'
  const { id } = known ?? (await owner.contexts.create({ name, description, caption: name, toolsJson: '[]' }))
  for (const entry of await readdir(name, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    try {
      const content = createReadStream(join(name, entry.name))
      await owner.documents.whenProcessed(await owner.documents.upload(id, { fileName: entry.name, content }))
    } catch (error) {
      if (!(error instanceof AlcoveError)) throw error
      console.error(`${entry.name} is left out: ${error.message} (${error.code})`)
    }
  }
  return id
}

import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ChatRequest, startChatServer } from '../servers/chat-server.js'
import { temporaryFolder } from '../temporary-folder.js'
import { blocks, EXAMPLES, hostFolder, pageOf, ROOT, run, TSX } from './host-folder.js'

/** Runs an example on a new folder, with a server that answers for the model. */
async function runExample(
  name: string,
  args: readonly string[],
  answer: (request: ChatRequest) => object,
): Promise<{ readonly lines: string[]; readonly requests: readonly ChatRequest[] }> {
  const server = await startChatServer(answer)
  const folder = await temporaryFolder()
  try {
    const env = { ...process.env, OPENAI_BASE_URL: server.url, OPENAI_MODEL: 'fake', DATA_DIR: folder.path }
    const { stdout } = await run(process.execPath, [TSX, join(ROOT, 'examples', name), ...args], { env })
    return { lines: stdout.trim().split('\n'), requests: server.requests }
  } finally {
    await folder.remove()
    await server.close()
  }
}

const lastOf = ({ messages }: ChatRequest): string => messages.at(-1)?.content ?? ''

/** The number of the first passage with a text, as a model that reads the prompt would find it. */
function numberOf(prompt: string, part: string): string {
  const passages = prompt.split(/(?=<passage-[a-p]{16} )/).filter((passage) => passage.includes(part))
  return /number="(\d+)"/.exec(passages[0] ?? '')?.[1] ?? 'none'
}

describe.concurrent('the examples of chats', () => {
  it('chat-with-citations answers from a folder, names its sources, and completes a second question', async () => {
    const documents = await temporaryFolder()
    for (const name of ['leave-policy.pdf', 'first-day.txt']) {
      await copyFile(join(EXAMPLES, name), join(documents.path, name))
    }
    const questions = ['How long is parental leave?', 'Who pays it?']
    const { lines, requests } = await runExample(
      'chat-with-citations.ts',
      [documents.path, ...questions],
      (request) => {
        const prompt = lastOf(request)
        if (prompt.startsWith('Write this question')) return { content: 'Who pays parental leave?' }
        const number = numberOf(prompt, 'parental leave')
        return {
          content: prompt.endsWith('How long is parental leave?') ? `Eighteen weeks [${number}].` : 'Nobody [99].',
        }
      },
    )
    await documents.remove()
    expect(lines[0]).toBe('How long is parental leave?')
    expect(lines[1]).toMatch(/^Eighteen weeks \[\d\]\.$/)
    expect(lines[2]).toMatch(/^ {2}\[\d\] leave-policy\.pdf \(page \d.*\)$/)
    // The model invented a number, which has no source.
    expect(lines.slice(3)).toEqual(['', 'Who pays it?', 'Nobody [99].'])

    expect(requests).toHaveLength(3)
    const [first, completion, second] = requests
    expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(completion?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    // The history has the question alone, without the passages of its prompt.
    expect(second?.messages[1]?.content).toBe('How long is parental leave?')
    expect(numberOf(second ? lastOf(second) : '', 'parental leave')).not.toBe('none')
  })

  it('agent-loop runs an agent, after the model has corrected its call', async () => {
    const call = (id: string, args: object) => ({
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'book_room', arguments: JSON.stringify(args) } }],
    })
    const { lines, requests } = await runExample('agent-loop.ts', [], ({ messages }) => {
      if (messages.length === 2) return call('a', { seats: '4', day: 'Friday' })
      if (messages.length === 4) return call('b', { seats: 4, day: 'Friday' })
      return { content: messages.at(-1)?.content ?? '' }
    })
    expect(lines).toEqual([
      "the model's call does not fit: arguments.seats: must be an integer",
      'run agent 7 with {"seats":4,"day":"Friday"}',
      'Room Juniper, 4 seats, Friday: booked.',
    ])
    expect(requests[0]?.tools).toMatchObject([{ type: 'function', function: { name: 'book_room' } }])
    expect(requests[0]?.messages.at(-1)?.content).toContain('Our team has four members')
    expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ])
  })
})

/** Runs the first program of a page, unchanged. */
async function runFirstBlock(page: string, language: string): Promise<string> {
  const folder = await hostFolder()
  try {
    await writeFile(join(folder.path, 'block.mts'), blocks(language, await pageOf(page))[0] ?? '')
    return (await run(process.execPath, [TSX, 'block.mts'], { cwd: folder.path })).stdout
  } finally {
    await folder.remove()
  }
}

describe.concurrent('the pages about models', () => {
  it('chat has a program that prepares a prompt', async () => {
    expect(await runFirstBlock('how-to/chat.md', 'js')).toBe('system user assistant user 0\n[1] leave.txt 0-66\n')
  })

  it('tools has a program that writes and reads tools', async () => {
    expect(await runFirstBlock('how-to/tools.md', 'ts')).toBe('book_room 7\n')
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatPrompt } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const TOOL = { id: 1, name: 'book', description: 'Books a room.', action: 'Run Agent', agentId: 7 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
  const history = [
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', content: 'Good morning.' },
  ]
  const files = {
    'tools.json': JSON.stringify([TOOL]),
    'leave.txt': 'Parental leave lasts eighteen weeks.',
    'history.json': JSON.stringify(history),
    'broken.json': '[',
    'foreign.json': '[{"role":"tool","content":"x"}]',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  await alcove('init')
  await alcove('context', 'create', 'HR', '--description', 'Be brief.', '--tools', 'tools.json')
  await alcove('ingest', '--context', 'HR', 'leave.txt')
})

afterAll(async () => {
  await folder.remove()
})

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })
const prepare = async (...args: readonly string[]): Promise<Outcome> =>
  await alcove('prepare', '--context', 'HR', 'How long is parental leave?', ...args)

describe('alcove prepare', () => {
  it('prints a prompt as JSON for programs', async () => {
    const { exitCode, stdout, stderr } = await prepare('--json', '--history', 'history.json', '--max-tokens', '1000')
    expect(exitCode, stderr).toBe(0)
    const prompt = JSON.parse(stdout) as ChatPrompt
    expect(prompt.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(prompt.messages[0]?.content).toMatch(/^Be brief\.\n\n/)
    expect(prompt.sources).toMatchObject([{ number: 1, content: 'Parental leave lasts eighteen weeks.' }])
    expect(prompt.tools).toMatchObject([{ function: { name: 'book' } }])
  })

  it('prints it for people', async () => {
    const { exitCode, stdout } = await prepare()
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^--- system\nBe brief\.\n\n/)
    expect(stdout).toMatch(/\n--- user\n<passage-[a-p]{16} number="1" document="leave\.txt">\nParental leave lasts/)
    expect(stdout).toMatch(/\n\nHow long is parental leave\?\n\n--- about \d+ tokens, 1 passage\ntools: book\n$/)
  })

  it('quotes each chunk with the same text if --list-copies is given', async () => {
    await writeFile(join(folder.path, 'copy.txt'), 'Parental leave lasts eighteen weeks.')
    await alcove('context', 'create', 'Copies')
    await alcove('ingest', '--context', 'Copies', 'leave.txt', 'copy.txt')
    const namesOf = async (...args: readonly string[]): Promise<string[]> => {
      const chunks = ['--passages', 'chunks', '--json', ...args]
      const { stdout } = await alcove('prepare', '--context', 'Copies', 'How long is parental leave?', ...chunks)
      return (JSON.parse(stdout) as ChatPrompt).sources.map(({ displayName }) => displayName).sort()
    }
    expect(await namesOf()).toHaveLength(1)
    expect(await namesOf('--list-copies')).toEqual(['copy.txt', 'leave.txt'])
  })

  it.each([
    ['--history: the file broken.json is not valid JSON', '--history', 'broken.json'],
    ['--history: cannot read the file none.json', '--history', 'none.json'],
    ['--history [0].role: must be one of "user", "assistant"', '--history', 'foreign.json'],
    ['--max-tokens: must be at least', '--max-tokens', '10'],
  ])('says what is wrong: %s', async (message, ...args) => {
    const { exitCode, stdout, stderr } = await prepare('--json', ...args)
    expect(stderr).toContain(message)
    expect([exitCode, stdout]).toEqual([1, ''])
  })
})

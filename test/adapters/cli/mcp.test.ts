import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lockedForAgent } from '../../../adapters/cli/engines/locked-by-other.js'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { DataDirLockedError } from '../../../src/index.js'
import { IS_FULL_FORM } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { AGENT_KINDS, type AgentClient, type AgentKind, textOf } from '../mcp/clients.js'
import { BINARY, startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'
import { serveAlcove } from './serve/serve-alcove.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const agents: AgentClient[] = []

beforeAll(async () => {
  folder = await temporaryFolder()
  await alcove('init')
  await alcove('context', 'create', 'Handbook', '--description', 'Answer from the handbook.')
  await alcove('context', 'create', 'Secrets')
  await writeFile(join(folder.path, 'leave.txt'), 'Parental leave lasts for twelve weeks.')
  await alcove('ingest', '--context', 'Handbook', 'leave.txt')
})

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close()
})

afterAll(async () => {
  await folder.remove()
})

async function alcove(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runAlcoveHere(args, { cwd: folder.path })
  expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}

async function start(kind: AgentKind, ...args: string[]): Promise<AgentClient> {
  const command = { command: process.execPath, args: [BINARY, 'mcp', ...args], cwd: folder.path }
  const agent = await kind.overStdio({ ...command, stderr: 'ignore' })
  agents.push(agent)
  return agent
}

const SEARCH = { name: 'search', arguments: { query: 'How long is parental leave?' } }

/** Begins a session, and searches with the id 2. @returns the function that sends further messages */
function searchFirst({ stdin }: ChildProcess): (message: object) => void {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
  const send = (message: object): void => void stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  send({ id: 1, method: 'initialize', params })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: SEARCH })
  return send
}
/** Each agent starts a process, which loads the model. */
const KINDS = AGENT_KINDS.filter((_kind, index) => IS_FULL_FORM || index !== 1)

describe('alcove mcp', () => {
  it('serves agents of several revisions over stdin and stdout, each by a process of its own', async () => {
    const started = await Promise.all(
      KINDS.map(async (kind) => await start(kind, '--context', 'Handbook', '--release-after', '0')),
    )
    // One folder has one engine at a time: the processes let each other search.
    for (const answer of await Promise.all(started.map(async (agent) => await agent.callTool(SEARCH)))) {
      expect(textOf(answer)).toContain('Parental leave lasts for twelve weeks.')
    }
    for (const agent of started) {
      const { tools } = await agent.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['search', 'list_contexts', 'read_document'])
      expect(textOf(await agent.callTool({ name: 'list_contexts' }))).toBe('1: Handbook (Handbook)')
      const { resources } = await agent.listResources()
      expect(resources.map(({ name }) => name)).toEqual(['leave.txt'])
      const { contents } = await agent.readResource({ uri: resources[0]?.uri ?? '' })
      expect(contents[0]?.text).toBe('Parental leave lasts for twelve weeks.')
      expect((await agent.listPrompts()).prompts[0]).toMatchObject({ name: 'context-1', title: 'Handbook' })
      const wrong = await agent.callTool({ name: 'search', arguments: { query: '' } })
      expect([wrong.isError, textOf(wrong)]).toEqual([true, 'query: must not be empty (ERR_INVALID_INPUT)'])
    }
    // Commands may work on the folder too, and agents see what they did.
    await writeFile(join(folder.path, 'travel.txt'), 'Trips are approved by the manager.')
    await alcove('ingest', '--context', 'Handbook', 'travel.txt')
    const query = 'Who approves trips?'
    const found = await started[0]?.callTool({ name: 'search', arguments: { query } })
    expect(textOf(found ?? {})).toContain('Trips are approved by the manager.')
  })

  it('writes nothing but messages to stdout, and ends with its input', async () => {
    const { child, outcome, stdout } = startAlcove(['mcp', '--log-level', 'debug'], { cwd: folder.path })
    searchFirst(child)
    await expect.poll(stdout, { timeout: 20_000 }).toContain('"id":2')
    child.stdin?.end()
    const { exitCode, stderr, stdout: written } = await outcome
    expect(exitCode).toBe(0)
    const lines = written.trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2])
    expect(stderr).toContain('"name":"mcp.call"')
    expect(stderr).not.toContain('parental')
  })

  it('tells the agent and the person what to do while a server has the folder', async () => {
    const server = await serveAlcove([], { cwd: folder.path })
    const { child, outcome, stdout, stderr } = startAlcove(['mcp'], { cwd: folder.path })
    try {
      const warning = `another process (pid ${server.pid}), the server ${server.address}, uses the data folder`
      await expect.poll(stderr, { timeout: 20_000 }).toContain(warning)
      expect(stderr()).toContain(`connect the agent to ${server.address}/mcp with a token of that server`)
      const send = searchFirst(child)
      await expect.poll(stdout, { timeout: 20_000 }).toContain('"id":2')
      send({ id: 3, method: 'tools/call', params: { name: 'list_contexts' } })
      await expect.poll(stdout, { timeout: 20_000 }).toContain('"id":3')
      const [, searched, listed] = stdout()
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { result: { isError?: boolean; content: { text: string }[] } }).result)
      const sentence = searched?.content[0]?.text ?? ''
      expect(searched?.isError).toBe(true)
      expect(sentence).toContain('search does not work now')
      expect(sentence).toContain(`tell the user: connect the agent to ${server.address}/mcp`)
      expect(sentence).not.toContain(folder.path)
      expect(sentence).toMatch(/\(ERR_DATA_DIR_LOCKED\)$/)
      expect(listed?.isError).toBeUndefined()
      expect(listed?.content[0]?.text).toContain('1: Handbook')
      expect(stderr().split(warning)).toHaveLength(3)
    } finally {
      child.stdin?.end()
      await outcome
      await server.stop()
    }
  })

  it('says at its start that a search waits for a process that serves nothing', async () => {
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'alcove-data'), isWorking: false })
    const { child, outcome, stdout, stderr } = startAlcove(['mcp'], { cwd: folder.path })
    try {
      const notice = 'uses the data folder ./alcove-data now; a search waits up to 15 seconds for it'
      await expect.poll(stderr, { timeout: 20_000 }).toContain(notice)
      expect(stderr()).not.toContain('fail')
      searchFirst(child)
      await engine.close()
      await expect.poll(stdout, { timeout: 20_000 }).toContain('Parental leave lasts for twelve weeks.')
    } finally {
      await engine.close()
      child.stdin?.end()
      await outcome
    }
  })

  it('knows what to say about a process that serves nothing, and about a migration', () => {
    const held = new DataDirLockedError('in use', { holder: { pid: 7 } })
    expect(lockedForAgent(held).message).toContain('because another process (pid 7) uses the documents')
    expect(lockedForAgent(held).message).toContain(
      'Repeat the search later. If it fails again, tell the user: wait until that process ends, or end it',
    )
    const migrated = new DataDirLockedError('the data folder is being migrated: wait until "alcove migrate" ends')
    expect(lockedForAgent(migrated)).toBe(migrated)
  })

  it('ends cleanly by a signal', async () => {
    const { child, outcome, stdout } = startAlcove(['mcp'], { cwd: folder.path })
    child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    await expect.poll(stdout, { timeout: 20_000 }).toContain('"id":1')
    child.kill('SIGTERM')
    expect((await outcome).exitCode).toBe(0)
  })

  it.each([
    [['--context', 'Nowhere'], 1, 'no context has the id or name Nowhere'],
    [['--data-dir', 'missing'], 1, 'has no data: with --data-dir missing, run "alcove init" first'],
    [['--release-after', 'soon'], 2, 'Expected a number of seconds'],
  ])('says on stderr what is wrong with %j', async (args, code, sentence) => {
    const { exitCode, stdout, stderr } = await runAlcoveHere(['mcp', ...args], { cwd: folder.path })
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toContain(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

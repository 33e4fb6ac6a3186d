import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase } from '../../../src/outbox/database.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { AGENT_KINDS, textOf } from '../../mcp/clients.js'
import { runAlcoveHere } from '../run-alcove-here.js'
import { type Served, serveAlcove } from './serve-alcove.js'

const postgres = DATABASES.find(({ name }) => name === 'PostgreSQL')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let database: TestDatabase | undefined
let key: { clientId: string; clientSecret: string }
const servers: Served[] = []

beforeAll(async () => {
  folder = await temporaryFolder()
  database = await postgres?.openEmpty()
  const place = database === undefined ? [] : ['--database-url', database.address]
  key = JSON.parse(await alcove(['init', '--json', ...place])) as typeof key
  await alcove(['context', 'create', 'Handbook', ...place])
  await writeFile(join(folder.path, 'leave.txt'), 'Parental leave lasts for twelve weeks.')
  await alcove(['ingest', '--context', 'Handbook', 'leave.txt', ...place])
  const processes = database === undefined ? 1 : 2
  const serve = async (): Promise<Served> => await serveAlcove(place, { cwd: folder.path })
  servers.push(...(await Promise.all(Array.from({ length: processes }, serve))))
})

afterAll(async () => {
  for (const server of servers) await server.stop('SIGKILL')
  await database?.dispose()
  await folder.remove()
})

async function alcove(args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runAlcoveHere(args, { cwd: folder.path })
  expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}

const first = (): string => servers[0]?.address ?? ''
const second = (): string => servers.at(-1)?.address ?? ''

async function tokenOf(address: string): Promise<string> {
  const { clientId, clientSecret } = key
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams({ ...form, resource: `${address}/mcp` })
  const answered = await fetch(`${address}/connect/token`, { method: 'POST', body })
  return ((await answered.json()) as { access_token: string }).access_token
}

describe('alcove serve', () => {
  it.each(AGENT_KINDS)('answers a $name by all processes of a database in turns', async (kind) => {
    const asked: string[] = []
    const inTurns = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const address = asked.length % 2 === 0 ? first() : second()
      asked.push(address)
      return await fetch(address + new URL(url).pathname, init)
    }
    const agent = await kind.overHttp(`${first()}/mcp`, { token: await tokenOf(second()), fetch: inTurns })
    for (let round = 0; round < 2; round += 1) {
      const answer = await agent.callTool({ name: 'search', arguments: { query: 'How long is parental leave?' } })
      expect(textOf(answer)).toContain('Parental leave lasts for twelve weeks.')
    }
    expect((await agent.listResources()).resources.map(({ name }) => name)).toEqual(['leave.txt'])
    expect(new Set(asked).size).toBe(servers.length)
    await agent.close()
  })

  it('says where tokens come from, and refuses pages of other origins and names of strangers', async () => {
    const refused = await fetch(`${first()}/mcp`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(401)
    const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
    const metadata = await (await fetch(metadataUrl)).json()
    expect(metadata).toMatchObject({ resource: `${first()}/mcp`, authorization_servers: [first()] })
    const origin = 'http://evil.example'
    expect((await fetch(`${first()}/mcp`, { method: 'POST', headers: { origin }, body: '{}' })).status).toBe(403)
    const port = new URL(first()).port
    const byOtherName = await fetch(`http://localhost:${port}/.well-known/oauth-protected-resource/mcp`)
    const root = `http://localhost:${port}`
    expect(await byOtherName.json()).toMatchObject({ resource: `${root}/mcp`, authorization_servers: [root] })
    expect(servers[0]?.stderr()).toContain('"path":"/mcp","status":403')
  })

  it('on all addresses names the one by which the client came, and lets it get a token there', async () => {
    const other = await temporaryFolder()
    expect((await runAlcoveHere(['init'], { cwd: other.path })).exitCode).toBe(0)
    const server = await serveAlcove(['--host', '0.0.0.0'], { cwd: other.path })
    try {
      const root = `http://127.0.0.1:${new URL(server.address).port}`
      const refused = await fetch(`${root}/mcp`, { method: 'POST', body: '{}' })
      const metadataUrl = `${root}/.well-known/oauth-protected-resource/mcp`
      expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${metadataUrl}"`)
      const metadata = await fetch(metadataUrl)
      expect(metadata.headers.get('cache-control')).toBe('no-store')
      expect(await metadata.json()).toMatchObject({ resource: `${root}/mcp`, authorization_servers: [root] })
      const issuer = await fetch(`${root}/.well-known/oauth-authorization-server`)
      expect(await issuer.json()).toMatchObject({ issuer: root, token_endpoint: `${root}/connect/token` })
    } finally {
      await server.stop('SIGKILL')
      await other.remove()
    }
  })

  it('ends at once, also with an agent that is connected', async () => {
    const [kind] = AGENT_KINDS
    const agent = await kind?.overHttp(`${second()}/mcp`, { token: await tokenOf(second()) })
    await agent?.listTools()
    expect(await servers.at(-1)?.stop()).toBe(0)
    await agent?.close()
  })
})

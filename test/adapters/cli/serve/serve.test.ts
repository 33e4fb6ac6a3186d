import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../temporary-folder.js'
import { type Outcome, runAlcove } from '../run-alcove.js'
import { runAlcoveHere } from '../run-alcove-here.js'
import { type Served, serveAlcove } from './serve-alcove.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let key: { clientId: string; clientSecret: string }
const running: Served[] = []

beforeEach(async () => {
  folder = await temporaryFolder()
  key = await json('init')
})

afterEach(async () => {
  for (const served of running.splice(0)) await served.stop('SIGKILL')
  await folder.remove()
})

async function json<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runAlcoveHere([...args, '--json'], { cwd: folder.path })
  expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

async function serve(...args: string[]): Promise<Served> {
  const served = await serveAlcove(args, { cwd: folder.path })
  running.push(served)
  return served
}

async function token(address: string, target: string, { clientId, clientSecret } = key): Promise<[number, string]> {
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    target_app: target,
  }
  const response = await fetch(`${address}/connect/token`, { method: 'POST', body: new URLSearchParams(form) })
  return [response.status, ((await response.json()) as { access_token: string }).access_token]
}

describe('alcove serve', () => {
  it('prints its address in one line, serves requests, and stops cleanly', async () => {
    const served = await serve()
    expect(served.stdout()).toBe(`listening on ${served.address}\n`)
    const [status, bearer] = await token(served.address, 'assistant')
    expect(status).toBe(200)
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'A', description: 'B', caption: 'C', toolsJson: '[]' })
    expect((await fetch(`${served.address}/context`, { method: 'POST', headers, body })).status).toBe(201)
    const search = await runAlcoveHere(['search', '--context', 'A', 'x'], { cwd: folder.path })
    expect([search.exitCode, search.stdout]).toEqual([1, ''])
    const server = `(pid ${served.pid}), the server ${served.address}: send it the request over REST, stop it,`
    expect(search.stderr).toContain(`in use by another process ${server} or use another folder`)
    expect(await served.stop()).toBe(0)
    expect(served.stderr()).toContain('"name":"http.request"')
    expect(served.stderr()).not.toContain(key.clientSecret)
    expect(served.stderr()).not.toContain(bearer)
    // The server released the folder.
    expect(await json('context', 'list')).toMatchObject([{ name: 'A' }])
  })

  it('prints its address and process as JSON, and logs at the chosen level', async () => {
    const served = await serve('--json', '--log-level', 'silent')
    expect(JSON.parse(served.stdout())).toEqual({ address: served.address, pid: served.pid })
    expect((await fetch(`${served.address}/health`)).status).toBe(200)
    expect(await served.stop('SIGINT')).toBe(0)
    expect(served.stderr()).toBe('')
  })

  it('finishes requests in progress before it stops', async () => {
    const served = await serve()
    const [, bearer] = await token(served.address, 'assistant')
    const headers = { authorization: `Bearer ${bearer}` }
    const slow = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"name":"Slow","description":"d",'))
        await new Promise((resolve) => setTimeout(resolve, 800))
        controller.enqueue(new TextEncoder().encode('"caption":"c","toolsJson":"[]"}'))
        controller.close()
      },
    })
    const init = { method: 'POST', headers, body: slow, duplex: 'half' } as RequestInit
    const answering = fetch(`${served.address}/context`, init)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const ending = served.stop()
    expect((await answering).status).toBe(201)
    expect(await ending).toBe(0)
  })

  it('lets commands that need only the database run beside it, and obeys their changes at once', async () => {
    const { address } = await serve()
    const made = await json<{ id: number; clientId: string; clientSecret: string; companyId: number }>(
      'key',
      'create',
      '--company',
      '1',
      '--targets',
      'tenant',
    )
    expect(Object.keys(made)).toEqual(expect.arrayContaining(['id', 'clientId', 'clientSecret']))
    expect((await token(address, 'assistant', made))[0]).toBe(400)
    const [, bearer] = await token(address, 'tenant', made)
    const status = async (): Promise<number> =>
      (await fetch(`${address}/tenant/users`, { headers: { authorization: `Bearer ${bearer}` } })).status
    expect(await status()).toBe(200)
    const listed = await json<Record<string, unknown>[]>('key', 'list')
    expect(listed.map((one) => Object.keys(one))).toEqual(
      listed.map(() => [
        'id',
        'clientId',
        'companyId',
        'userId',
        'targets',
        'sight',
        'created',
        'expires',
        'lastUsed',
        'revoked',
      ]),
    )
    expect(JSON.stringify(listed)).not.toContain(made.clientSecret)
    await json('key', 'revoke', String(made.id))
    expect(await status()).toBe(401)
    const { kid } = await json<{ kid: string }>('key', 'rotate-signing')
    await expect
      .poll(async () => Buffer.from((await token(address, 'tenant'))[1].split('.')[0] ?? '', 'base64url').toString())
      .toContain(kid)
    const refused = await runAlcove(['search', '--context', '1', 'x'], { cwd: folder.path })
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`pid ${String(running[0]?.pid)}`)])
  })

  it('runs only the work of its roles', async () => {
    const http = await serve('--roles', 'http', '--log-level', 'silent')
    const [, bearer] = await token(http.address, 'assistant')
    const headers = { authorization: `Bearer ${bearer}` }
    const body = JSON.stringify({ name: 'A', description: 'B', caption: 'C', toolsJson: '[]' })
    await fetch(`${http.address}/context`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    const form = new FormData()
    form.append('file', new Blob(['some text']), 'a.txt')
    expect((await fetch(`${http.address}/context/upload/1`, { method: 'POST', headers, body: form })).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await json('documents', '--context', '1')).toMatchObject([{ started: null, completed: null }])
    await http.stop()
    const ingest = await serve('--roles', 'ingest', '--json', '--log-level', 'silent')
    expect(JSON.parse(ingest.stdout())).toEqual({ address: null, pid: ingest.pid })
    await expect
      .poll(async () => await json('documents', '--context', '1'), { timeout: 20_000, interval: 500 })
      .toMatchObject([{ completed: expect.any(String) as string }])
    expect(await ingest.stop()).toBe(0)
  })

  // A91
  it('names its public address as issuer, and otherwise the address where it listens', async () => {
    const metadataOf = async (address: string): Promise<unknown> =>
      await (await fetch(`${address}/.well-known/oauth-authorization-server`)).json()
    const named = await serve('--public-url', 'https://alcove.example.com/')
    const [, bearer] = await token(named.address, 'assistant')
    const claims = JSON.parse(Buffer.from(bearer.split('.')[1] ?? '', 'base64url').toString()) as { iss: string }
    expect(claims.iss).toBe('https://alcove.example.com')
    expect(await metadataOf(named.address)).toMatchObject({
      issuer: claims.iss,
      token_endpoint: 'https://alcove.example.com/connect/token',
    })
    await named.stop()
    const unnamed = await serve()
    expect(await metadataOf(unnamed.address)).toMatchObject({
      issuer: unnamed.address,
      token_endpoint: `${unnamed.address}/connect/token`,
    })
  })

  it('redirects users to the page that the host names', async () => {
    const served = await serve('--public-url', 'https://alcove.example.com/')
    const [, bearer] = await token(served.address, 'tenant')
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const invite = async (email: string): Promise<void> => {
      const body = JSON.stringify({ email })
      expect((await fetch(`${served.address}/tenant/user`, { method: 'POST', headers, body })).status).toBe(201)
    }
    await invite('one@example.com')
    await json(
      'user',
      'add',
      'two@example.com',
      '--company',
      '1',
      '--setup-url',
      'https://app.example.com/start/{token}',
    )
    const mail = join(folder.path, 'alcove-data', 'mail')
    const names = (await readdir(mail)).sort()
    const texts = await Promise.all(names.map(async (name) => await readFile(join(mail, name), 'utf8')))
    expect(texts[0]).toContain('https://alcove.example.com/auth/setup?token')
    expect(texts[1]).toContain('https://app.example.com/start/')
    const completed = await json('user', 'complete-setup', '2')
    expect(completed).toMatchObject({ id: 2, hasPassword: true })
  })

  it('limits the size of uploads, and admits the named origins', async () => {
    const served = await serve(
      '--max-upload',
      '10',
      '--cors-origin',
      'https://a.example',
      '--cors-origin',
      'https://b.example',
    )
    const [, bearer] = await token(served.address, 'assistant')
    const headers = { authorization: `Bearer ${bearer}`, origin: 'https://b.example' }
    const context = JSON.stringify({ name: 'A', description: 'B', caption: 'C', toolsJson: '[]' })
    const created = await fetch(`${served.address}/context`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: context,
    })
    expect(created.headers.get('access-control-allow-origin')).toBe('https://b.example')
    const body = new FormData()
    body.append('file', new Blob(['more than ten bytes']), 'a.txt')
    expect((await fetch(`${served.address}/context/upload/1`, { method: 'POST', headers, body })).status).toBe(413)
  })

  it.each<[string, string[], number, RegExp]>([
    ['an invalid proxy', ['--trusted-proxy', 'nginx', '--log-level', 'error'], 1, /networks such as 10\.0\.0\.0/],
    [
      'a host address that this machine does not have',
      ['--host', '203.0.113.1', '--log-level', 'error'],
      1,
      /no such address/,
    ],
  ])('refuses %s, and ends', async (_name, args, exitCode, message) => {
    expectRefusal(await runAlcove(['serve', '--port', '0', ...args], { cwd: folder.path }), exitCode, message)
  })

  it.each<[string, string[], number, RegExp]>([
    [
      'a folder that was never initialised',
      ['--data-dir', 'nowhere'],
      1,
      /with --data-dir nowhere, run "alcove init" first/,
    ],
    ['an invalid port', ['--port', '70000'], 2, /Expected a port/],
    ['an unknown role', ['--roles', 'http,cook'], 2, /Expected a list of http, ingest, relay/],
    ['an unknown log level', ['--log-level', 'loud'], 2, /Allowed choices are silent, error/],
    ['an invalid address of a mail server', ['--smtp-url', 'mail.example.com'], 1, /must be an address such as smtp:/],
    ['an invalid public address', ['--public-url', 'example.com'], 1, /must be an http or https URL/],
    ['a setup page without the token in its address', ['--setup-url', 'https://a.example/'], 1, /with \{token\} in it/],
    ['an invalid number of connections', ['--max-connections', '0'], 2, /Expected a positive integer/],
    ['an invalid rate', ['--min-upload-rate', 'slow'], 2, /Expected a number of bytes/],
  ])('refuses %s', async (_name, args, exitCode, message) => {
    expectRefusal(await runAlcoveHere(['serve', '--port', '0', ...args], { cwd: folder.path }), exitCode, message)
  })

  function expectRefusal({ exitCode, stdout, stderr }: Outcome, code: number, message: RegExp): void {
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  }

  // A25, A26
  it('reads limits on connections and trusted proxies from options and from the environment', async () => {
    const environment = { ALCOVE_TRUSTED_PROXY: '127.0.0.1', ALCOVE_MIN_UPLOAD_RATE: '0' }
    const served = await serveAlcove(['--max-connections', '2'], { cwd: folder.path, env: environment })
    running.push(served)
    const sockets = Array.from({ length: 3 }, () => connect(Number(new URL(served.address).port), '127.0.0.1'))
    const ended = sockets.map(async (socket) => {
      await once(
        socket.on('error', () => undefined),
        'close',
      )
    })
    await Promise.race(ended)
    await expect.poll(served.stderr).toContain('http.connections.refused')
    for (const socket of sockets) socket.destroy()
    await Promise.all(ended)
    await expect
      .poll(async () => await fetch(`${served.address}/context`, { headers: { 'x-forwarded-for': '203.0.113.9' } }))
      .toMatchObject({ status: 401 })
    const logged = served
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"status":401'))
    expect(JSON.parse(logged.at(-1) ?? '')).toMatchObject({ level: 'warn', remoteAddress: '203.0.113.9' })
  })

  it('reports that a port is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const refused = await runAlcove(['serve', '--port', String(port)], { cwd: folder.path })
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('the port is in use')])
    await new Promise((resolve) => other.close(resolve))
  })
})

describe('alcove export-openapi', () => {
  it('prints the description without a data folder', async () => {
    const { stdout, exitCode } = await runAlcoveHere(['export-openapi', '--data-dir', 'nowhere'], { cwd: folder.path })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0', paths: { '/context': {} } })
    expect(await json('export-openapi')).toEqual(JSON.parse(stdout))
  })
})

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchHandler } from '../../examples/receivers/fetch-handler.js'
import { selfSignedCertificate } from '../servers/self-signed-certificate.js'
import { temporaryFolder } from '../temporary-folder.js'

const ROOT = join(import.meta.dirname, '../..')
const SECRET = 'whsec_0123456789abcdef0123456789abcdef'
const MAX_BODY_BYTES = 1_000_000

/** A receiver that listens, with its effects so far. */
interface Receiver {
  readonly url: string
  readonly effects: readonly string[]
  close(): Promise<void>
}

function event(id: string, agentId: number): string {
  const timestamp = '2026-01-02T03:04:05.678Z'
  const data = { agentId, name: 'Zoë' }
  return JSON.stringify({ id, version: 'v1', type: 'agent.created', event_category: 'agent', timestamp, data })
}

function signatureOf(body: string, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** @returns the status of the answer */
async function send(url: string, body: string, signature = signatureOf(body)): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-service-signature': signature }
  const response = await fetch(url, { method: 'POST', headers, body })
  expect(await response.text()).toBe('')
  return response.status
}

/** The example in a process of its own. */
async function startNodeHttp(environment: Record<string, string> = {}): Promise<Receiver> {
  const child = runNodeHttp({ PORT: '0', WEBHOOK_SECRET: SECRET, ...environment })
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  await Promise.race([once(reader, 'line'), once(child, 'exit')])
  const port = /^listening on port (\d+)$/.exec(lines.shift() ?? '')?.[1] ?? 'none'
  return {
    url: `http://127.0.0.1:${port}`,
    effects: lines,
    close: async () => {
      const exit = once(child, 'exit')
      child.kill()
      await exit
    },
  }
}

function runNodeHttp(environment: Record<string, string>): ChildProcessWithoutNullStreams {
  // The example runs without tsx's own process in between, which the test would have to kill as well.
  const program = ['--import', 'tsx', 'examples/receivers/node-http.ts']
  const { WEBHOOK_SECRET: _mine, TLS_CERT: _cert, TLS_KEY: _key, ...env } = process.env
  return spawn(process.execPath, program, { cwd: ROOT, env: { ...env, ...environment } })
}

/** The example behind a server that uses fetch. */
async function startFetchHandler(): Promise<Receiver> {
  const effects: string[] = []
  const handler = fetchHandler({
    secret: ['the one before', SECRET],
    act: async ({ type, data }) => {
      await sleep(5)
      if (type === 'agent.created') effects.push(`agent ${data.agentId} is called ${data.name}`)
    },
  })
  const server = serve({ fetch: handler, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    effects,
    close: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe.each([
  ['node-http', startNodeHttp],
  ['fetch-handler', startFetchHandler],
])('the receiver %s (rule 5 under Errors in docs/explanation/specification.md)', (_name, start) => {
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await start()
  })

  afterEach(async () => {
    await receiver.close()
  })

  /** The effects so far, once every earlier event has had its effect. */
  async function effects(): Promise<readonly string[]> {
    await send(receiver.url, event('evt_last', 99))
    await vi.waitFor(() => {
      expect(receiver.effects.at(-1)).toContain('agent 99')
    })
    return receiver.effects.slice(0, -1)
  }

  it('answers 204 to an event, and processes it', async () => {
    expect(await send(receiver.url, event('evt_1', 1))).toBe(204)
    expect(await effects()).toEqual(['agent 1 is called Zoë'])
  })

  it('processes an event once that arrives repeatedly, one after the other or at once', async () => {
    for (let time = 0; time < 3; time += 1) expect(await send(receiver.url, event('evt_1', 1))).toBe(204)
    const together = await Promise.all(Array.from({ length: 5 }, () => send(receiver.url, event('evt_2', 2))))
    expect(together).toEqual([204, 204, 204, 204, 204])
    expect(await effects()).toEqual(['agent 1 is called Zoë', 'agent 2 is called Zoë'])
  })

  it('answers 401 to a bad signature, for any body', async () => {
    const body = event('evt_1', 1)
    expect(await send(receiver.url, body, signatureOf(body, 'another'))).toBe(401)
    expect(await send(receiver.url, body, signatureOf(`${body} `))).toBe(401)
    expect(await send(receiver.url, '{ no JSON', signatureOf(body))).toBe(401)
    expect((await fetch(receiver.url, { method: 'POST', body })).status).toBe(401)
    // The receiver does not store the id either.
    expect(await send(receiver.url, body)).toBe(204)
    expect(await effects()).toEqual(['agent 1 is called Zoë'])
  })

  it('answers 400 to a body that is not an event, although the signature is valid', async () => {
    for (const body of ['{ no JSON', '{}', event('', 1)]) expect(await send(receiver.url, body)).toBe(400)
    expect(await effects()).toEqual([])
  })

  it('answers 204 to events that it does not use', async () => {
    for (const type of ['agent.deleted', 'agent.archived']) {
      const body = event(`evt_${type}`, 1).replace('agent.created', type)
      expect(await send(receiver.url, body)).toBe(204)
    }
    expect(await effects()).toEqual([])
  })

  it('does not read more than a megabyte', async () => {
    expect(await send(receiver.url, ' '.repeat(MAX_BODY_BYTES - 200) + event('evt_1', 1))).toBe(204)
    expect(await send(receiver.url, ' '.repeat(MAX_BODY_BYTES + 1))).toBe(413)
    const unannounced = (function* () {
      for (let sent = 0; sent < 3; sent += 1) yield new Uint8Array(MAX_BODY_BYTES / 2)
    })()
    const init = { method: 'POST', body: ReadableStream.from(unannounced), duplex: 'half' } as const
    expect((await fetch(receiver.url, init)).status).toBe(413)
    expect(await effects()).toEqual(['agent 1 is called Zoë'])
  })

  it('answers 405 to other methods', async () => {
    const response = await fetch(receiver.url)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('continues to run when a sender disconnects in the middle of a body', async () => {
    const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{')
    await sleep(100)
    socket.resetAndDestroy()
    await sleep(100)
    expect(await send(receiver.url, event('evt_1', 1))).toBe(204)
  })
})

describe('the receiver fetch-handler', () => {
  it('parses no body whose signature is bad', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const handler = fetchHandler({ secret: SECRET, act: () => undefined })
    const body = event('evt_1', 1)
    const answer = async (signature: string): Promise<number> => {
      const headers = { 'x-service-signature': signature }
      return (await handler(new Request('https://x.example', { method: 'POST', headers, body }))).status
    }
    expect(await answer(signatureOf(body, 'another'))).toBe(401)
    expect(parse).not.toHaveBeenCalledWith(body)
    expect(await answer(signatureOf(body))).toBe(204)
    expect(parse).toHaveBeenCalledWith(body)
    parse.mockRestore()
  })

  it('answers 500 to an event that it could not process, and processes it at the next delivery', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const act = vi.fn().mockRejectedValueOnce(new Error('the database is away'))
    const handler = fetchHandler({ secret: SECRET, act })
    const statuses: number[] = []
    for (let time = 0; time < 3; time += 1) {
      const body = event('evt_1', 1)
      const headers = { 'x-service-signature': signatureOf(body) }
      statuses.push((await handler(new Request('https://x.example', { method: 'POST', headers, body }))).status)
    }
    expect(statuses).toEqual([500, 204, 204])
    expect(act).toHaveBeenCalledTimes(2)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})

describe('the receiver fetch-handler, for an event that is delivered repeatedly while it is processed', () => {
  const body = event('evt_1', 1)

  /** A receiver whose effect lasts until the test ends it, with its answers so far. */
  function slowReceiver() {
    let end: (error?: Error) => void = () => undefined
    const act = vi.fn(async () => {
      await new Promise<void>((resolve, reject) => {
        end = (error) => (error === undefined ? resolve() : reject(error))
      })
    })
    const handler = fetchHandler({ secret: SECRET, act })
    const answers: number[] = []
    const receive = async (): Promise<number> => {
      const headers = { 'x-service-signature': signatureOf(body) }
      const { status } = await handler(new Request('https://x.example', { method: 'POST', headers, body }))
      answers.push(status)
      return status
    }
    return { act, answers, receive, end: (error?: Error) => end(error) }
  }

  it('answers once the outcome of the processing is known', async () => {
    const { act, answers, receive, end } = slowReceiver()
    const pending = [receive(), receive(), receive()]
    await sleep(50)
    expect(answers).toEqual([])
    end()
    expect(await Promise.all(pending)).toEqual([204, 204, 204])
    expect(await receive()).toBe(204)
    expect(act).toHaveBeenCalledOnce()
  })

  it('answers no delivery with success when the processing fails, so that the sender repeats it', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const { act, answers, receive, end } = slowReceiver()
    const first = receive()
    await sleep(50)
    const second = receive()
    await sleep(50)
    expect(answers).toEqual([])
    end(new Error('the database is away'))
    expect(await Promise.all([first, second])).toEqual([500, 500])
    const third = receive()
    await sleep(50)
    end()
    expect(await third).toBe(204)
    expect(act).toHaveBeenCalledTimes(2)
    log.mockRestore()
  })
})

describe('the receiver node-http', () => {
  it('serves HTTPS with a certificate of its own', async () => {
    const folder = await temporaryFolder()
    const { cert, key } = selfSignedCertificate()
    const files = { TLS_CERT: join(folder.path, 'cert.pem'), TLS_KEY: join(folder.path, 'key.pem') }
    await writeFile(files.TLS_CERT, cert)
    await writeFile(files.TLS_KEY, key)
    const receiver = await startNodeHttp(files)
    const body = event('evt_1', 1)
    const headers = { 'x-service-signature': signatureOf(body) }
    const status = await new Promise((resolve, reject) => {
      const options = { method: 'POST', port: new URL(receiver.url).port, ca: cert, headers }
      request('https://localhost', options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(body)
    })
    expect(status).toBe(204)
    await receiver.close()
    await folder.remove()
  })

  it('does not start without a secret', async () => {
    const child = runNodeHttp({ PORT: '0' })
    const [stderr] = await Promise.all([child.stderr.toArray(), once(child, 'exit')])
    expect(stderr.join('')).toContain('WEBHOOK_SECRET is missing')
    expect(child.exitCode).toBe(2)
  })
})

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcove } from '../run-alcove.js'
import { runAlcoveHere } from '../run-alcove-here.js'
import { type Served, serveAlcove } from './serve-alcove.js'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let key: { readonly clientId: string; readonly clientSecret: string }
let served: Served | undefined

beforeEach(async () => {
  folder = await temporaryFolder()
  const { stdout } = await runAlcoveHere(['init', '--json'], { cwd: folder.path })
  key = JSON.parse(stdout) as typeof key
})

afterEach(async () => {
  await served?.stop('SIGKILL')
  served = undefined
  await folder.remove()
})

async function requestToken(address: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: key.clientId,
    client_secret: key.clientSecret,
    target_app: 'assistant',
  })
  const response = await fetch(`${address}/connect/token`, { method: 'POST', body })
  return ((await response.json()) as { readonly access_token: string }).access_token
}

/** The samples of a scrape, by name with labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** A port that nothing listens on. */
async function freePort(): Promise<AddressInfo> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return address
}

describe('alcove serve --metrics --traces', () => {
  it('serves metrics on a port of its own, and sends spans to the SDK that the operator has loaded', async () => {
    const NODE_OPTIONS = `--import ${join(import.meta.dirname, 'tracing-sdk.mjs')}`
    served = await serveAlcove(['--metrics', '0', '--traces'], { cwd: folder.path, env: { NODE_OPTIONS } })
    const metrics = /metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/.exec(served.stdout())?.[1] ?? ''
    const headers = {
      authorization: `Bearer ${await requestToken(served.address)}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`,
    }
    const body = JSON.stringify({ name: 'A', description: 'B', caption: 'C', toolsJson: '[]' })
    const { id } = (await (await fetch(`${served.address}/context`, { method: 'POST', headers, body })).json()) as {
      readonly id: number
    }
    await fetch(`${served.address}/context/${id}`, { method: 'DELETE', headers })

    const scrape = await fetch(metrics)
    expect([scrape.status, scrape.headers.get('content-type')]).toEqual([200, 'text/plain'])
    const samples = samplesOf(await scrape.text())
    const created = 'http_request_method="POST",http_response_status_code="201",http_route="/context"'
    expect(Object.fromEntries(samples)).toMatchObject({
      'alcove_queue_jobs{alcove_job_kind="ingest-document"}': 0,
      'alcove_queue_age_seconds{alcove_job_kind="deliver-event"}': 0,
      'alcove_model_available{alcove_model_id="all-MiniLM-L6-v2"}': 1,
      'alcove_table_rows{alcove_table="contexts"}': expect.any(Number) as number,
      'alcove_disk_free_bytes{alcove_disk_place="files"}': expect.any(Number) as number,
      alcove_database_size_bytes: expect.any(Number) as number,
      [`http_server_request_duration_seconds_count{${created}}`]: 1,
    })
    const { pathname, origin } = new URL(metrics)
    expect((await fetch(`${origin}/`)).status).toBe(404)
    expect((await fetch(`${origin}${pathname}`, { method: 'POST' })).status).toBe(405)
    expect((await fetch(`${served.address}/metrics`)).status).toBe(404)

    // The job of the removal continues the trace of the client.
    const { stderr } = served
    await vi.waitFor(() => expect(stderr()).toContain('"span":"alcove.job"'), { timeout: 5_000 })
    const spans = stderr()
      .split('\n')
      .filter((line) => line.includes('"span"'))
      .map((line) => JSON.parse(line) as { readonly span: string; readonly traceId: string })
    const traced = spans.filter(({ traceId }) => traceId === TRACE_ID).map(({ span }) => span)
    expect(traced).toEqual(expect.arrayContaining(['POST /context', 'DELETE /context/{contextId}', 'alcove.job']))
    expect(await served.stop()).toBe(0)
  })

  it('ends with the error of an engine that does not open, and leaves no port and no listener behind', async () => {
    await writeFile(join(folder.path, 'alcove-data', 'keys', 'secret-key'), 'not a key')
    const { port } = await freePort()
    const listeners = process.listenerCount('SIGTERM')
    const { exitCode, stderr } = await runAlcoveHere(['serve', '--port', '0', '--metrics', String(port)], {
      cwd: folder.path,
    })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('must contain 32 bytes as base64')])
    expect(process.listenerCount('SIGTERM')).toBe(listeners)
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })

  // Other systems have no second address of this kind.
  it.runIf(process.platform === 'linux')('says whose port is in use if two options name it on two hosts', async () => {
    const other = createServer().listen(0, '127.0.0.2')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const hosts = ['--host', '127.0.0.2', '--port', String(port), '--metrics', `127.0.0.1:${port}`]
    const { exitCode, stderr } = await runAlcove(['serve', ...hosts], { cwd: folder.path })
    other.close()
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`127.0.0.2:${port}: the port is in use; choose another with --port`),
    ])
  })

  it('says which port is in use, and what a port is', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const taken = await runAlcoveHere(['serve', '--port', '0', '--metrics', String(port)], { cwd: folder.path })
    other.close()
    expect([taken.exitCode, taken.stderr]).toEqual([
      1,
      expect.stringContaining(`127.0.0.1:${port}: the port is in use`),
    ])
    const both = ['serve', '--port', String(port), '--metrics', String(port)]
    // This opens an engine, and then ends its process by force.
    const same = await runAlcove(both, { cwd: folder.path })
    expect([same.exitCode, same.stderr]).toEqual([
      1,
      expect.stringContaining('--port and --metrics name the same port; choose another with one of them'),
    ])
    const invalid = await runAlcoveHere(['serve', '--metrics', 'example.com'], { cwd: folder.path })
    expect([invalid.exitCode, invalid.stderr]).toEqual([2, expect.stringContaining('Expected a port or host:port')])
  })
})

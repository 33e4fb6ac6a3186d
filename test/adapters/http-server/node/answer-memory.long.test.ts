import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchResult } from '../../../../src/index.js'
import { sized } from '../../../full-form.js'
import { type ChildServer, startChildServer } from './child-server.js'

const READERS = sized(60, 200)
const MOST_GROWTH_BYTES = 150_000_000
/**
 * Longest time of an answer beside clients that never finish. A server that waits for them answers after half a minute
 * at the earliest. The test's own clients push hundreds of megabytes meanwhile, so a busy machine takes seconds.
 */
const MOST_MS = 10_000
/** Longest time of the quickest of many answers, which load delays least. */
const QUICKEST_MS = 1_000
const PATH = '/context/relevant-docs/1'
const PROMPT = JSON.stringify({ prompt: 'words', collapse: false })

let server: ChildServer

beforeAll(async () => {
  server = await startChildServer('answer-child.ts')
})

afterAll(async () => {
  await server.remove()
})

function searchRequest(): string {
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${server.token}`,
    'Content-Type: application/json',
  ]
  return `${head.join('\r\n')}\r\nContent-Length: ${PROMPT.length}\r\n\r\n${PROMPT}`
}

async function search(): Promise<Response> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  return await fetch(new URL(PATH, server.address), { method: 'POST', headers, body: PROMPT })
}

async function healthMs(): Promise<number> {
  const began = performance.now()
  const response = await fetch(new URL('/health', server.address))
  await response.arrayBuffer()
  expect(response.status).toBe(200)
  return performance.now() - began
}

describe('a search that finds 100 chunks of 61,000 characters', () => {
  // A19
  it('reaches a client that reads it completely', async () => {
    const response = await search()
    const text = await response.text()
    const found = JSON.parse(text) as readonly SearchResult[]
    expect([response.status, found.length]).toEqual([200, 100])
    expect(text).toBe(JSON.stringify(found))
    expect(Buffer.byteLength(text)).toBeGreaterThan(15_000_000)
    expect(Object.keys(found[0] ?? {})).toEqual(['id', 'docId', 'content', 'similarity'])
  })

  // A19
  it('costs the memory of one chunk for each client that never reads, and delays no other client', async () => {
    const before = await server.rssBytes()
    const readers = Array.from({ length: READERS }, () => server.silentClient(searchRequest()))
    let most = 0
    const answered: number[] = []
    for (let at = 0; at < 30; at += 1) {
      answered.push(await healthMs())
      most = Math.max(most, (await server.rssBytes()) - before)
      await setTimeout(100)
    }
    for (const reader of readers) reader.destroy()
    expect(Math.max(...answered)).toBeLessThan(MOST_MS)
    expect(Math.min(...answered)).toBeLessThan(QUICKEST_MS)
    expect(most).toBeLessThan(MOST_GROWTH_BYTES)
  })
})

describe('200 JSON bodies of 2 MB that never finish', () => {
  const BODIES = 200
  /** The limit of memory while the bodies wait for their end. */
  const MOST_BYTES = 60_000_000
  /** The limit while they arrive: pieces of 64 kB of each connection, and outgrown buffers, come on top. */
  const MOST_BYTES_ARRIVING = 120_000_000
  const BODY = Buffer.from(`1d0000\r\n${' '.repeat(0x1d0000)}\r\n`)

  // A36
  it.each([
    ['without a token', 'POST /auth/reset', [413, 429]],
    ['without a token, by the other operation', 'POST /auth/setup', [413, 429]],
    ['of one company', 'POST /context', [429]],
  ] as const)('%s: take less than 60 MB, and other requests get answers', async (_what, target, refusals) => {
    const before = await server.rssBytes()
    const bearer = target === 'POST /context' ? `Authorization: Bearer ${server.token}\r\n` : ''
    const head = `${target} HTTP/1.1\r\nHost: x\r\n${bearer}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const statuses: number[] = []
    const clients = Array.from({ length: BODIES }, () => {
      const socket = connect({ port: Number(server.address.port), host: server.address.hostname }).on(
        'error',
        () => undefined,
      )
      socket.on('data', (bytes) => statuses.push(Number(bytes.toString('latin1').split(' ')[1])))
      socket.write(head)
      socket.write(BODY)
      return socket
    })
    const taken: number[] = []
    const answered: number[] = []
    for (let at = 0; at < 20; at += 1) {
      answered.push(await healthMs())
      taken.push((await server.rssBytes()) - before)
      await setTimeout(100)
    }
    // A short body does not count.
    const json = JSON.stringify({ name: 'Short', description: '', caption: '', toolsJson: '[]' })
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const made = await fetch(new URL('/context', server.address), { method: 'POST', headers, body: json })
    expect(made.status).toBe(201)
    for (const client of clients) client.destroy()
    expect(Math.max(...answered)).toBeLessThan(MOST_MS)
    expect(Math.min(...answered)).toBeLessThan(QUICKEST_MS)
    expect(Math.max(...taken)).toBeLessThan(MOST_BYTES_ARRIVING)
    expect(taken.at(-1)).toBeLessThan(MOST_BYTES)
    expect(statuses.length).toBeGreaterThan(0)
    for (const status of statuses) expect(refusals).toContain(status)
  })
})

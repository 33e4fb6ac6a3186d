import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized } from '../../../full-form.js'
import { type ChildServer, startChildServer } from './child-server.js'

const CONTEXTS = 1_000
const READERS = sized(30, 80)
const MOST_GROWTH_BYTES = 150_000_000
/**
 * Longest time of an answer beside clients that never read. A server that waits for them answers once their connections
 * are cut, much later. A busy machine takes seconds.
 */
const MOST_MS = 10_000
/** Longest time of the quickest of many answers, which load delays least. */
const QUICKEST_MS = 1_000

let server: ChildServer

beforeAll(async () => {
  server = await startChildServer('list-child.ts', String(CONTEXTS))
})

afterAll(async () => {
  await server.remove()
})

function listRequest(): string {
  return `GET /context HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\n\r\n`
}

async function timed(path: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(new URL(path, server.address), { headers: { authorization: `Bearer ${server.token}` } })
  await response.arrayBuffer()
  expect(response.status).toBe(200)
  return performance.now() - began
}

describe('a list of 1,000 contexts of 100 kB', () => {
  // A18
  it('costs the memory of a few rows for each client that never reads, and delays no other client', async () => {
    await timed('/context?limit=10')
    const before = await server.rssBytes()
    const readers = Array.from({ length: READERS }, () => server.silentClient(listRequest()))
    let most = 0
    const answered: number[] = []
    for (let at = 0; at < 20; at += 1) {
      answered.push(await timed('/health'), await timed('/context/1'))
      most = Math.max(most, (await server.rssBytes()) - before)
      await setTimeout(100)
    }
    for (const reader of readers) reader.destroy()
    expect(Math.max(...answered)).toBeLessThan(MOST_MS)
    expect(Math.min(...answered)).toBeLessThan(QUICKEST_MS)
    expect(most).toBeLessThan(MOST_GROWTH_BYTES)
  })

  // A18
  it('reaches a client that reads it completely', async () => {
    const response = await fetch(new URL('/context', server.address), {
      headers: { authorization: `Bearer ${server.token}` },
    })
    let bytes = 0
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) bytes += chunk.byteLength
    expect(bytes).toBeGreaterThan(CONTEXTS * 100_000)
    expect(await server.rssBytes()).toBeLessThan(600_000_000)
  })
})

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forkProgram } from '../../child-program.js'
import { sized } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'

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

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let child: ChildProcess
let address: URL
let token: string

async function tell<T>(message?: string): Promise<T> {
  const answer = once(child, 'message')
  if (message !== undefined) child.send(message)
  return ((await answer) as [T])[0]
}

beforeAll(async () => {
  folder = await temporaryFolder()
  child = await forkProgram(join(import.meta.dirname, 'list-child.ts'), [join(folder.path, 'data'), String(CONTEXTS)])
  const started = await tell<{ readonly address: string; readonly token: string }>()
  address = new URL(started.address)
  token = started.token
}, 60_000)

afterAll(async () => {
  child.kill('SIGKILL')
  await folder.remove()
})

/** A client that requests the list, and never reads the answer. */
function silentReader(): Socket {
  const socket = connect({ port: Number(address.port), host: address.hostname }).on('error', () => undefined)
  socket.write(`GET /context HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket.pause()
}

async function timed(path: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(new URL(path, address), { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  expect(response.status).toBe(200)
  return performance.now() - began
}

describe('a list of 1,000 contexts of 100 kB', () => {
  it('A18 costs the memory of a few rows for each client that never reads, and delays no other client', async () => {
    await timed('/context?limit=10')
    const { rssBytes: before } = await tell<{ readonly rssBytes: number }>('rss')
    const readers = Array.from({ length: READERS }, silentReader)
    let most = 0
    const answered: number[] = []
    for (let at = 0; at < 20; at += 1) {
      answered.push(await timed('/health'), await timed('/context/1'))
      most = Math.max(most, (await tell<{ readonly rssBytes: number }>('rss')).rssBytes - before)
      await setTimeout(100)
    }
    for (const reader of readers) reader.destroy()
    expect(Math.max(...answered)).toBeLessThan(MOST_MS)
    expect(Math.min(...answered)).toBeLessThan(QUICKEST_MS)
    expect(most).toBeLessThan(MOST_GROWTH_BYTES)
  })

  it('A18 reaches a client that reads it completely', async () => {
    const response = await fetch(new URL('/context', address), { headers: { authorization: `Bearer ${token}` } })
    let bytes = 0
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) bytes += chunk.byteLength
    expect(bytes).toBeGreaterThan(CONTEXTS * 100_000)
    const { rssBytes } = await tell<{ readonly rssBytes: number }>('rss')
    expect(rssBytes).toBeLessThan(600_000_000)
  })
})

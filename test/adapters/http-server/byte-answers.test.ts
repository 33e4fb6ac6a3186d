import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { streamBytes } from '../../../adapters/http-server/byte-answers.js'
import { nodeListener } from '../../../adapters/http-server/node/index.js'
import { ForbiddenError } from '../../../src/index.js'
import { errorReason } from '../../../src/ports/index.js'

const PIECES = 6
const headers = { 'content-length': `${PIECES * 1_000}` }

/** An answer whose rights end after some checks, from a real server: its status and the number of its bytes. */
async function answerAfter(checks: number): Promise<{ answer: string; isEnded: boolean }> {
  let [checked, isEnded] = [0, false]
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < PIECES; at += 1) yield new Uint8Array(1_000)
    } finally {
      isEnded = true
    }
  }
  const requireRights = async (): Promise<void> => {
    checked += 1
    if (checked > checks) await Promise.reject(new ForbiddenError('context:read', errorReason('access-disabled')))
  }
  const listener = nodeListener(async (request, info) => {
    const isChunked = info?.isChunked === true
    const call = { request, requireRights, reportAbort: () => undefined, isChunked }
    return await streamBytes(call, pieces(), headers).catch(() => new Response('refused', { status: 403 }))
  })
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const read = async (): Promise<string> => {
    const answer = await fetch(url)
    return `${answer.status}, ${(await answer.arrayBuffer()).byteLength} bytes`
  }
  return { answer: await read().catch(() => 'cut'), isEnded }
}

it.each([0, 1, 2, 3, 4])('an answer whose rights end after %i checks is cut', async (checks) => {
  expect(await answerAfter(checks)).toEqual({ answer: 'cut', isEnded: true })
})

it('an answer whose rights stay is whole', async () => {
  expect(await answerAfter(PIECES)).toEqual({ answer: '200, 6000 bytes', isEnded: true })
})

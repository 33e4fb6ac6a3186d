import { describe, expect, it } from 'vitest'
import { answerLater } from '../../../adapters/http-server/late-answer.js'
import { ForbiddenError, ThrottledError } from '../../../src/index.js'
import { errorReason } from '../../../src/ports/index.js'

const TIMES = { plainMs: 20, heartbeatMs: 20 }

/** A call of an operation, with what happens to it. */
function callOf(requireRights: () => Promise<void> = async () => undefined) {
  const leaving = new AbortController()
  const closing = new AbortController()
  const reported: unknown[] = []
  const request = new Request('http://test/operator/verify', { method: 'POST', signal: leaving.signal })
  const call = {
    request,
    requireRights,
    reportAbort: (error: unknown) => void reported.push(error),
    isChunked: true,
    closing: closing.signal,
  }
  return { call, leaving, closing, reported }
}

/** Work that ends only when it is aborted, or when the test ends it. */
function openWork() {
  const signals: AbortSignal[] = []
  let end: (value: unknown) => void = () => undefined
  const work = async (signal: AbortSignal): Promise<unknown> => {
    signals.push(signal)
    return await new Promise((resolve, reject) => {
      end = resolve
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }
  return { work, end: (value: unknown) => end(value), reason: () => signals[0]?.reason as unknown }
}

describe('an answer that may come late', () => {
  it('is plain JSON if the work is quick', async () => {
    const response = await answerLater(callOf().call, async () => await Promise.resolve({ isHealthy: true }), TIMES)
    expect(response.headers.get('x-accel-buffering')).toBeNull()
    expect(await response.text()).toBe('{"isHealthy":true}')
  })

  it('has the status of an error that comes soon', async () => {
    const throttled = new ThrottledError('one runs already', 60)
    const answering = answerLater(callOf().call, async () => await Promise.reject(throttled), TIMES)
    await expect(answering).rejects.toBe(throttled)
  })

  it('sends white space until the work is done, which readers of JSON skip', async () => {
    const { call, reported } = callOf()
    const { work, end } = openWork()
    const response = await answerLater(call, work, TIMES)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store, no-transform',
      'transfer-encoding': 'chunked',
      'x-accel-buffering': 'no',
    })
    setTimeout(() => end({ isHealthy: true }), 100)
    const text = await response.text()
    expect(text).toMatch(/^\n{3,}\{"isHealthy":true\}$/)
    expect(JSON.parse(text)).toEqual({ isHealthy: true })
    expect(reported).toEqual([])
  })

  it('breaks off, and ends the work, when the caller loses its rights', async () => {
    const forbidden = new ForbiddenError('the permission is disabled', errorReason('access-disabled'))
    let checks = 0
    const { call, reported } = callOf(async () => {
      checks += 1
      if (checks > 2) await Promise.reject(forbidden)
    })
    const { work, reason } = openWork()
    const response = await answerLater(call, work, TIMES)
    await expect(response.text()).rejects.toThrow('the answer was aborted: see http.request.failed in the log')
    expect(reason()).toBe(forbidden)
    expect(reported).toEqual([forbidden])
  })

  it('reports an error that comes late, without its cause in the body', async () => {
    const { call, reported } = callOf()
    const failure = new Error('the disk failed')
    const work = async (): Promise<never> => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      throw failure
    }
    const response = await answerLater(call, work, TIMES)
    await expect(response.text()).rejects.toThrow('the answer was aborted')
    expect(reported).toEqual([failure])
  })

  it('ends the work when the client leaves, before the answer and during it, and reports nothing', async () => {
    const early = { ...callOf(), ...openWork() }
    const answering = answerLater(early.call, early.work, { plainMs: 60_000 })
    early.leaving.abort()
    await expect(answering).rejects.toThrow('the client has left')
    const late = { ...callOf(), ...openWork() }
    const reader = (await answerLater(late.call, late.work, TIMES)).body?.getReader()
    expect((await reader?.read())?.value).toEqual(new TextEncoder().encode('\n'))
    await reader?.cancel()
    expect(late.reason()).toMatchObject({ message: 'the client has left' })
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect([early.reported, late.reported]).toEqual([[], []])
  })

  it('ends the work when the server closes', async () => {
    const early = { ...callOf(), ...openWork() }
    const answering = answerLater(early.call, early.work, { plainMs: 60_000 })
    early.closing.abort()
    await expect(answering).rejects.toMatchObject({ status: 503, code: 'ERR_CLOSED' })
    const late = { ...callOf(), ...openWork() }
    const response = await answerLater(late.call, late.work, TIMES)
    late.closing.abort()
    await expect(response.text()).rejects.toThrow('the answer was aborted')
    expect(late.reported).toEqual([])
  })
})

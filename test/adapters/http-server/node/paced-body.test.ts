import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pacedBody } from '../../../../adapters/http-server/read-upload.js'

describe('the pace of an upload', () => {
  let send: (bytes: number) => void

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  function newBody(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => {
        send = (bytes) => controller.enqueue(new Uint8Array(bytes))
      },
    })
  }

  /** Sends so many bytes before each second that the reader waits. */
  async function outcome(bytesOfSeconds: readonly number[], least: number): Promise<string> {
    const body = newBody()
    const reading = (async () => {
      for await (const _piece of pacedBody(body, least));
    })()
    let refused = 'taken'
    reading.catch((error: unknown) => {
      refused = (error as { code: string }).code
    })
    for (const bytes of bytesOfSeconds) {
      if (bytes > 0) send(bytes)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    return refused
  }

  const seconds = (count: number, bytes: number): number[] => Array.from({ length: count }, () => bytes)

  // A23
  it('counts bytes over 30 seconds', async () => {
    expect(await outcome(seconds(200, 1_024), 1_024)).toBe('taken')
  })

  // A23
  it('forgives a pause of 29 seconds, and no slow bytes after it', async () => {
    expect(await outcome([50_000, ...seconds(29, 0)], 1_024)).toBe('taken')
    expect(await outcome([50_000, ...seconds(31, 100)], 1_024)).toBe('ERR_TOO_SLOW')
  })

  // A23
  it('refuses a body that comes one byte too slowly', async () => {
    expect(await outcome(seconds(31, 1_023), 1_024)).toBe('ERR_TOO_SLOW')
  })

  // A23
  it('accepts any rate when the minimum is 0', async () => {
    expect(await outcome(seconds(300, 0), 0)).toBe('taken')
  })

  // A23
  it('does not count the time of a slow reader', async () => {
    const pieces = pacedBody(newBody(), 1_024)
    for (let piece = 0; piece < 50; piece += 1) {
      send(1)
      expect((await pieces.next()).value).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    const waiting = pieces.next()
    const refused = expect(waiting).rejects.toMatchObject({ status: 408, code: 'ERR_TOO_SLOW' })
    await vi.advanceTimersByTimeAsync(31_000)
    await refused
  })
})

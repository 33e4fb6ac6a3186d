import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type HttpHandler, serveHttp } from '../../../../adapters/http-server/index.js'

const BODY_BYTES = 8_000_000
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** An answer, as a client of HTTP/1.1 reads it. */
interface ReadAnswer {
  readonly isWhole: boolean
  /** True for the header `Connection: close`. */
  readonly isLast: boolean
}

/** Splits what a server has sent on one connection into answers. Throws for bytes behind `Connection: close`. */
function answersIn(received: Buffer): readonly ReadAnswer[] {
  const answers: ReadAnswer[] = []
  for (let at = 0; at < received.length; ) {
    if (answers.at(-1)?.isLast === true) throw new Error('data after Connection: close')
    const end = received.indexOf('\r\n\r\n', at)
    if (end < 0) return [...answers, { isWhole: false, isLast: true }]
    const head = received.subarray(at, end).toString('latin1').toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1])
    at = end + 4 + length
    answers.push({ isWhole: at <= received.length, isLast: head.includes('connection: close') })
  }
  return answers
}

/** A connection that stays, whose client asks for the next answer when it has the last one. */
class Client {
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #parts: Buffer[] = []
  #bytes = 0
  #asked = 1

  /** @param waitMs pause after each read: a slow client has answers that wait in the server */
  constructor(address: string, waitMs: number) {
    this.#socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) })
    this.#socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()))
    this.#socket.on('data', (part: Buffer) => {
      this.#parts.push(part)
      this.#bytes += part.length
      if (this.#bytes >= this.#asked * BODY_BYTES) this.#ask()
      if (waitMs === 0) return
      this.#socket.pause()
      setTimeout(() => this.#socket.resume(), waitMs)
    })
    this.#socket.write(REQUEST)
  }

  get answers(): readonly ReadAnswer[] {
    return answersIn(Buffer.concat(this.#parts))
  }

  get bytes(): number {
    return this.#bytes
  }

  #ask(): void {
    this.#asked += 1
    if (this.#socket.writable) this.#socket.write(REQUEST)
  }
}

it('a server that closes cuts no answer on connections that stay, and sends nothing after Connection: close', async () => {
  const body = new Uint8Array(BODY_BYTES)
  const handler: HttpHandler = async () => {
    await sleep(5)
    return new Response(body, { headers: { 'content-length': String(BODY_BYTES) } })
  }
  const server = await serveHttp(handler, { port: 0 })
  const clients = Array.from({ length: 12 }, (_, index) => new Client(server.address, index % 3))
  await expect.poll(() => clients.every(({ bytes }) => bytes > 0), { timeout: 20_000 }).toBe(true)
  await server.close()
  await Promise.all(clients.map(({ closed }) => closed))
  for (const client of clients) expect(client.answers.filter(({ isWhole }) => !isWhole)).toEqual([])
}, 60_000)

it('a server that closes starts no further request of a connection, and ends it after the answer under way', async () => {
  let started = 0
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const server = await serveHttp(
    async () => {
      started += 1
      await answered
      return new Response('whole')
    },
    { port: 0 },
  )
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.address).port) })
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(REQUEST.repeat(3))
  await expect.poll(() => started).toBe(1)
  const closing = server.close()
  answer()
  await closed
  await closing
  expect(started).toBe(1)
  expect(answersIn(Buffer.concat(parts))).toEqual([{ isWhole: true, isLast: true }])
})

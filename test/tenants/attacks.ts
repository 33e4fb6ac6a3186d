import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A tenant that attacks a server. */
export interface Attacker {
  readonly host: string
  readonly port: number
  /** Token of the assistant API. */
  readonly assistantToken: string
  /** Token of the tenant API. */
  readonly tenantToken: string
  readonly contextId: number
  /** A context with large chunks, of which a search finds 100. */
  readonly largeContextId: number
  /** Users who have not completed their setup. */
  readonly userIds: readonly number[]
}

/** An attack by its name, and its work until the signal ends it. It calls `count` with the outcome of each try. */
export type Attack = (attacker: Attacker, count: (outcome: string) => void) => void

/** A second loopback address stands for another machine, so that limits for each address do not hit the victim. */
const LOCAL_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined
const NEVER_READING = 60
const READING = 8
/** A refused client returns at once, but not in a loop that would only measure itself. */
const PAUSE_MS = 10

export const ATTACKS: Readonly<Record<string, Attack>> = {
  /** Lists of 100 MB, by clients that never read and by clients that read as fast as they can. */
  lists: (attacker, count) => {
    for (let one = 0; one < NEVER_READING; one += 1) void forever(() => neverRead(attacker, count, 'GET', '/context'))
    for (let one = 0; one < READING; one += 1) {
      void forever(async () => count(await ask(attacker, 'GET', '/context', { token: attacker.assistantToken })))
    }
  },
  /** Searches whose answers have 18 MB each, by clients that never read and by clients that read as fast as they can. */
  answers: (attacker, count) => {
    const path = `/context/relevant-docs/${attacker.largeContextId}`
    const body = JSON.stringify({ prompt: 'parental leave' })
    for (let one = 0; one < NEVER_READING; one += 1) void forever(() => neverRead(attacker, count, 'POST', path, body))
    for (let one = 0; one < READING; one += 1) {
      void forever(async () => count(await ask(attacker, 'POST', path, { token: attacker.assistantToken, body })))
    }
  },
  /** Prompts as long as allowed, and longer. */
  searches: (attacker, count) => {
    const path = `/context/relevant-docs/${attacker.contextId}`
    const prompts = [words(32_000), words(6_000), words(1_000)]
    for (let one = 0; one < 96; one += 1) {
      const body = JSON.stringify({ prompt: prompts[one % prompts.length] })
      void forever(async () => count(await ask(attacker, 'POST', path, { token: attacker.assistantToken, body })))
    }
  },
  /** Documents of 1 MB as fast as the server accepts them, and announced ones that stall. */
  uploads: (attacker, count) => {
    for (let one = 0; one < 24; one += 1) void forever(async () => count(await upload(attacker, `${one}`)))
    for (let one = 0; one < 40; one += 1) void forever(() => stall(attacker, count))
  },
  /** Endless bodies, to every kind of operation. */
  bodies: (attacker, count) => {
    const targets = [
      'GET /health',
      'DELETE /context/1',
      'POST /connect/token',
      'GET /docs',
      'PUT /nowhere',
      'POST /context',
    ]
    for (let one = 0; one < 48; one += 1) {
      const target = targets[one % targets.length] ?? ''
      void forever(() => endlessBody(attacker, target, count))
    }
  },
  /** Invitations, resets and new users, for as many mails as possible. */
  mails: (attacker, count) => {
    const { tenantToken: token, userIds } = attacker
    for (let one = 0; one < 60; one += 1) {
      let tries = 0
      void forever(async () => {
        tries += 1
        const id = userIds[(one + tries) % userIds.length]
        const [path, json] = [
          ['/tenant/user/init', { id }],
          ['/tenant/user', { email: `somebody-${one}-${tries}@example.com` }],
          ['/auth/reset', { email: `user-${one}@example.com` }],
        ][(one + tries) % 3] as [string, object]
        count(await ask(attacker, 'POST', path, { token, body: JSON.stringify(json) }))
      })
    }
  },
}

async function forever(work: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await work().catch(() => undefined)
    await setTimeout(PAUSE_MS)
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

/** @returns the status of the answer, whose body is read and dropped */
async function ask(
  { host, port }: Attacker,
  method: string,
  path: string,
  { token, body }: { readonly token: string; readonly body?: string },
): Promise<string> {
  return await new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request({ host, port, method, path, headers, agent, localAddress: LOCAL_ADDRESS }, (answer) => {
      answer.resume().on('close', () => resolve(String(answer.statusCode)))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    sent.end(body)
  })
}

/** A connection that the attack writes on, with its outcome. */
async function raw(
  { host, port }: Attacker,
  use: (socket: Socket) => void,
  count: (outcome: string) => void,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect({ host, port, ...(LOCAL_ADDRESS && { localAddress: LOCAL_ADDRESS }) }, () => use(socket))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      count('closed')
      resolve()
    })
  })
}

async function neverRead(
  attacker: Attacker,
  count: (outcome: string) => void,
  method: string,
  path: string,
  body = '',
): Promise<void> {
  await raw(
    attacker,
    (socket) => {
      socket.pause()
      const head = [`${method} ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${attacker.assistantToken}`]
      if (body !== '') head.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    },
    count,
  )
}

async function endlessBody(attacker: Attacker, target: string, count: (outcome: string) => void): Promise<void> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')])
  await raw(
    attacker,
    (socket) => {
      const head = [`${target} HTTP/1.1`, 'host: x', 'transfer-encoding: chunked', 'content-type: application/json']
      socket.write(`${head.join('\r\n')}\r\nauthorization: Bearer ${attacker.assistantToken}\r\n\r\n`)
      const write = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      }
      socket.on('drain', write)
      socket.resume()
      write()
    },
    count,
  )
}

/** Announces 50 MB, sends a few bytes, and waits. */
async function stall(attacker: Attacker, count: (outcome: string) => void): Promise<void> {
  await raw(
    attacker,
    (socket) => {
      const head = [
        `POST /context/upload/${attacker.contextId} HTTP/1.1`,
        'host: x',
        `authorization: Bearer ${attacker.assistantToken}`,
        'content-type: multipart/form-data; boundary=x',
        'content-length: 50000000',
      ]
      const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="stalled.txt"\r\n\r\nwords'
      socket.write(`${head.join('\r\n')}\r\n\r\n${part}`)
      socket.resume()
    },
    count,
  )
}

let uploads = 0

async function upload(attacker: Attacker, name: string): Promise<string> {
  uploads += 1
  const text = words(1_000_000, uploads)
  const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}-${uploads}.txt"\r\n\r\n${text}\r\n--x--\r\n`
  const { host, port, contextId, assistantToken } = attacker
  return await new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${assistantToken}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': Buffer.byteLength(body),
    }
    const path = `/context/upload/${contextId}`
    const sent = request(
      { host, port, method: 'POST', path, headers, agent, localAddress: LOCAL_ADDRESS },
      (answer) => {
        answer.resume().on('close', () => resolve(String(answer.statusCode)))
      },
    )
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    sent.end(body)
  })
}

const WORDS =
  'parental leave takes eighteen weeks while every employee may ask the office about holidays and tools '.split(' ')

/** Text of so many characters; another seed gives another text. */
function words(characters: number, seed = 1): string {
  const chosen: string[] = []
  let state = seed * 2_654_435_761
  for (let length = 0; length < characters; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const word = `${WORDS[(state >>> 8) % WORDS.length]}`
    chosen.push(word)
    length += word.length + 1
  }
  return chosen.join(' ').slice(0, characters)
}

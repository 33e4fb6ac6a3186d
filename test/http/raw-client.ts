import { connect } from 'node:net'

/** What became of a connection on which a test wrote by hand. */
export interface RawOutcome {
  /** Everything the server sent. */
  readonly received: string
  /** Bytes that the server's side, its kernel included, has taken. */
  readonly sentBytes: number
  readonly durationMs: number
  /** Whether the connection was closed by the server, not by the test when its time was over. */
  readonly isClosed: boolean
}

export interface RawOptions {
  /** Written again and again after the head, as fast as it is taken. */
  readonly flood?: Buffer
  /** The connection is given up after this; default 5,000. */
  readonly patienceMs?: number
  /** Whether what the server sends is read; default true. */
  readonly isReading?: boolean
}

/** Writes to a server over a socket, and waits until the connection is closed. */
export async function sendRaw(url: string, head: string, options: RawOptions = {}): Promise<RawOutcome> {
  const { flood, patienceMs = 5_000, isReading = true } = options
  const { hostname, port } = new URL(url)
  const began = performance.now()
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let received = ''
  let isClosed = false
  if (isReading) {
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
    })
  }
  const pour = (): void => {
    if (flood === undefined) return
    // A pause after each full buffer: client and server may share a process.
    while (!socket.destroyed && socket.write(flood));
  }
  socket.on('drain', () => setImmediate(pour))
  socket.write(head)
  pour()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patienceMs)
    const closed = (): void => {
      isClosed = true
      clearTimeout(timer)
      resolve()
    }
    // A connection that is reset while the client writes is closed too.
    socket.on('error', closed)
    socket.on('close', closed)
    if (flood === undefined) socket.on('end', closed)
  })
  const sentBytes = socket.bytesWritten - socket.writableLength
  socket.destroy()
  return { received, sentBytes, durationMs: performance.now() - began, isClosed }
}

/** The head of a request that announces a body without end. */
export function endlessHead(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: 'alcove', 'Transfer-Encoding': 'chunked', ...headers })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** A chunk of such a body, of 64 kB. */
export const CHUNK: Buffer = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')])

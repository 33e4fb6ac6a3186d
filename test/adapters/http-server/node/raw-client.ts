import { connect } from 'node:net'

/** The outcome of a connection that a test writes by hand. */
export interface RawOutcome {
  /** Everything the server sent. */
  readonly received: string
  /** Bytes that the server's side, including its kernel, has accepted. */
  readonly sentBytes: number
  readonly durationMs: number
  /** True if the server closed the connection, and not the test after its time limit. */
  readonly isClosed: boolean
}

export interface RawOptions {
  /** Written repeatedly after the head, as fast as the server accepts it. */
  readonly flood?: Buffer
  /** The test abandons the connection after this many ms; default 20,000. */
  readonly patienceMs?: number
  /** True if the client reads the server's output; default true. */
  readonly isReading?: boolean
}

/** Writes to a server over a socket, and waits until the connection is closed. */
export async function sendRaw(url: string, head: string, options: RawOptions = {}): Promise<RawOutcome> {
  const { flood, patienceMs = 20_000, isReading = true } = options
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
    // A pause follows each full buffer: client and server may share a process.
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
    // A connection that is reset during a write counts as closed too.
    socket.on('error', closed)
    socket.on('close', closed)
    if (flood === undefined) socket.on('end', closed)
  })
  const sentBytes = socket.bytesWritten - socket.writableLength
  socket.destroy()
  return { received, sentBytes, durationMs: performance.now() - began, isClosed }
}

/** The head of a request that announces an endless body. */
export function endlessHead(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: 'alcove', 'Transfer-Encoding': 'chunked', ...headers })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** A chunk of such a body, of 64 kB. */
export const CHUNK: Buffer = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')])

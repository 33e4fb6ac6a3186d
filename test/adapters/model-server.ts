import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the server read it. */
export interface SeenRequest<Body> {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Body
}

/** Handles one request in the place of a right answer. */
export type Misbehaviour<Body, Subject> = (
  request: SeenRequest<Body>,
  response: ServerResponse,
  server: Subject,
) => unknown

/**
 * A model on a server of its own. It misbehaves on demand: once for each function in `next`, or always with `always`.
 */
export abstract class ModelServer<Body, Subject> {
  readonly requests: SeenRequest<Body>[] = []
  readonly next: Misbehaviour<Body, Subject>[] = []
  always: Misbehaviour<Body, Subject> | undefined
  #server: Server | undefined
  #port = 0

  protected abstract readonly subject: Subject

  /** Starts, or starts again on the same port. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.handle(request, response))
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  protected get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  protected abstract answerRightly(seen: SeenRequest<Body>, response: ServerResponse): Promise<void>

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Body
    const seen = { path: request.url ?? '', headers: request.headers, body }
    this.requests.push(seen)
    const misbehave = this.next.shift() ?? this.always
    if (misbehave === undefined) await this.answerRightly(seen, response)
    else await misbehave(seen, response, this.subject)
  }
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

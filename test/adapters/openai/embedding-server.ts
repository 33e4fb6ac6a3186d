import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'

/** A request as the server read it. */
export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly model: string
    readonly input: readonly string[]
    readonly encoding_format?: string
    readonly dimensions?: number
  }
}

/** Handles one request in the place of a right answer. */
export type Misbehaviour = (request: SeenRequest, response: ServerResponse, server: EmbeddingServer) => unknown

/** The servers whose answers are imitated, in the shapes of their documentation. */
export type Shape = 'openai' | 'ollama' | 'vllm' | 'lm-studio' | 'tei'

/**
 * A server with the protocol of `/v1/embeddings`. Texts with words in common get similar vectors. It misbehaves on
 * demand: once for each function in `next`, or always with `always`.
 */
export class EmbeddingServer {
  readonly requests: SeenRequest[] = []
  readonly next: Misbehaviour[] = []
  always: Misbehaviour | undefined
  shape: Shape = 'openai'
  /** Requests that are not answered yet, and the most of them so far. */
  open = 0
  mostOpen = 0
  readonly #model = new MemoryEmbeddingModel({ windowTokens: 100_000 })
  #server: Server | undefined
  #port = 0

  static async start(): Promise<EmbeddingServer> {
    const server = new EmbeddingServer()
    await server.listen()
    return server
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`
  }

  /** Starts, or starts again on the same port. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response))
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

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open += 1
    this.mostOpen = Math.max(this.mostOpen, this.open)
    response.on('close', () => {
      this.open -= 1
    })
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as SeenRequest['body']
    const seen = { path: request.url ?? '', headers: request.headers, body }
    this.requests.push(seen)
    const misbehave = this.next.shift() ?? this.always
    if (misbehave === undefined) json(response, 200, await this.answer(seen))
    else await misbehave(seen, response, this)
  }

  /** The right answer. */
  async answer({ body: { model, input, encoding_format: encoding, dimensions } }: SeenRequest): Promise<Answer> {
    const vectors = await Promise.all(input.map(async (text) => await this.#model.embed([text], { kind: 'passage' })))
    const isBase64 = encoding === 'base64' && (this.shape === 'openai' || this.shape === 'vllm')
    const data = vectors.map((whole, index) => {
      const vector = whole.slice(0, dimensions)
      const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector]
      return { object: 'embedding', embedding, index }
    })
    const usage = { prompt_tokens: input.length, total_tokens: input.length }
    if (this.shape !== 'vllm') return { object: 'list', data, model, usage }
    return { id: 'embd-1', object: 'list', created: 1_790_000_000, model, data, usage }
  }
}

interface Answer {
  readonly object: string
  readonly model: string
  data: { readonly object: string; embedding: unknown; index?: unknown }[]
  readonly [other: string]: unknown
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

/** Answers with a status and an error in the shape of OpenAI. */
export function failing(status: number, message: string, headers: Record<string, string> = {}): Misbehaviour {
  const error = { message, type: 'error', param: null, code: null }
  return (_request, response) => json(response, status, { error }, headers)
}

/** Answers rightly, but for a change. */
export function changed(change: (answer: Answer) => unknown): Misbehaviour {
  return async (request, response, server) => {
    const answer = await server.answer({ ...request, body: { ...request.body, encoding_format: 'float' } })
    json(response, 200, change(answer) ?? answer)
  }
}

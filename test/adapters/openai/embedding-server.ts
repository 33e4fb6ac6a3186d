import type { IncomingMessage, ServerResponse } from 'node:http'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { json, type Misbehaviour as MisbehaviourOf, ModelServer, type SeenRequest as Seen } from '../model-server.js'

interface EmbeddingBody {
  readonly model: string
  readonly input: readonly string[]
  readonly encoding_format?: string
  readonly dimensions?: number
  /** Members that only some servers know. */
  readonly [other: string]: unknown
}

export type SeenRequest = Seen<EmbeddingBody>
export type Misbehaviour = MisbehaviourOf<EmbeddingBody, EmbeddingServer>

/** The servers whose answers are imitated, in the shapes of their documentation. */
export type Shape = 'openai' | 'ollama' | 'vllm' | 'lm-studio' | 'tei'

/** A server with the protocol of `/v1/embeddings`. Texts with words in common get similar vectors. */
export class EmbeddingServer extends ModelServer<EmbeddingBody, EmbeddingServer> {
  shape: Shape = 'openai'
  /** Requests that are not answered yet, and the most of them so far. */
  open = 0
  mostOpen = 0
  readonly #model = new MemoryEmbeddingModel({ windowTokens: 100_000 })
  protected readonly subject: EmbeddingServer = this

  static async start(): Promise<EmbeddingServer> {
    const server = new EmbeddingServer()
    await server.listen()
    return server
  }

  get baseUrl(): string {
    return `${this.origin}/v1`
  }

  protected override async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open += 1
    this.mostOpen = Math.max(this.mostOpen, this.open)
    response.on('close', () => {
      this.open -= 1
    })
    await super.handle(request, response)
  }

  protected override async answerRightly(seen: SeenRequest, response: ServerResponse): Promise<void> {
    json(response, 200, await this.answer(seen))
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

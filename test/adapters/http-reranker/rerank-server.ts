import type { ServerResponse } from 'node:http'
import { MemoryReranker } from '../../../adapters/memory/index.js'
import { json, type Misbehaviour as MisbehaviourOf, ModelServer, type SeenRequest as Seen } from '../model-server.js'

interface RerankBody {
  readonly model?: string
  readonly query: string
  readonly documents?: readonly string[]
  readonly texts?: readonly string[]
  readonly truncate?: boolean
  readonly return_documents?: boolean
}

type SeenRequest = Seen<RerankBody>
export type Misbehaviour = MisbehaviourOf<RerankBody, RerankServer>

/** The servers whose requests and answers are imitated, in the shapes of their documentation or sources. */
export const SHAPES = ['jina', 'cohere', 'vllm', 'llama.cpp', 'tei', 'voyage'] as const
export type Shape = (typeof SHAPES)[number]

interface Result {
  readonly index: number
  readonly score: number
}

/** A server that scores texts by the words that they share with the query. */
export class RerankServer extends ModelServer<RerankBody, RerankServer> {
  /** Most texts in a request to text-embeddings-inference, whose default is 32. */
  mostTexts = 32
  readonly #model = new MemoryReranker()
  protected readonly subject: RerankServer = this

  private constructor(readonly shape: Shape) {
    super()
  }

  static async start(shape: Shape = 'jina'): Promise<RerankServer> {
    const server = new RerankServer(shape)
    await server.listen()
    return server
  }

  get baseUrl(): string {
    const path = { cohere: '/v2', tei: '' }[this.shape as string] ?? '/v1'
    return `${this.origin}${path}`
  }

  protected override async answerRightly(seen: SeenRequest, response: ServerResponse): Promise<void> {
    const refuse = this.#refusalOf(seen)
    if (refuse !== undefined) refuse(response)
    else json(response, 200, await this.answer(seen))
  }

  #refusalOf({ body }: SeenRequest): ((response: ServerResponse) => void) | undefined {
    const { documents, texts } = body
    if (this.shape === 'tei' && texts === undefined) {
      // Axum's own answer is no JSON.
      const text = 'Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 99'
      return (response) => plain(response, 422, text)
    }
    if (this.shape === 'tei' && (texts?.length ?? 0) > this.mostTexts) {
      const error = `batch size ${texts?.length} > maximum allowed batch size ${this.mostTexts}`
      return (response) => json(response, 422, { error, error_type: 'Validation' })
    }
    if (this.shape !== 'tei' && documents === undefined) {
      return (response) => json(response, 400, { error: { message: 'documents is required' } })
    }
    if (this.shape === 'cohere' && 'return_documents' in body) {
      const message = "unknown field: parameter 'return_documents' is not a valid field"
      return (response) => json(response, 422, { message })
    }
    return undefined
  }

  /** The right answer. */
  async answer({ body }: SeenRequest): Promise<unknown> {
    const texts = body.documents ?? body.texts ?? []
    const hits = texts.map((text) => ({ name: '', headings: [], text }))
    const scores = await this.#model.rerank(body.query, hits)
    const results = scores.map((score, index) => ({ index, score })).sort((one, other) => other.score - one.score)
    return inShape(this.shape, results, texts)
  }
}

function inShape(shape: Shape, results: readonly Result[], texts: readonly string[]): unknown {
  const plainResults = results.map(({ index, score }) => ({ index, relevance_score: score }))
  if (shape === 'tei') return results
  if (shape === 'voyage') return { object: 'list', data: plainResults, model: 'm', usage: { total_tokens: 9 } }
  if (shape === 'vllm') {
    const withTexts = plainResults.map((one) => ({ ...one, document: { text: texts[one.index] } }))
    return { id: 'rerank-1', model: 'm', usage: { total_tokens: 9 }, results: withTexts }
  }
  if (shape === 'cohere') return { id: '7', results: plainResults, meta: { billed_units: { search_units: 1 } } }
  // A logit for each text, in the order of the request.
  const logits = results.map(({ index, score }) => ({ index, relevance_score: score * 20 - 11 }))
  if (shape === 'llama.cpp') {
    return {
      model: 'm',
      object: 'list',
      usage: { prompt_tokens: 9 },
      results: logits.sort((a, b) => a.index - b.index),
    }
  }
  return { model: 'm', usage: { total_tokens: 9 }, results: plainResults }
}

export function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' })
  response.end(text)
}

/** Answers with a status and an error in the shape of OpenAI. */
export function failing(status: number, message: string, headers: Record<string, string> = {}): Misbehaviour {
  return (_request, response) => json(response, status, { error: { message } }, headers)
}

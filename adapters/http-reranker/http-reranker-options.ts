import { z } from 'zod'
import { closedObjectSchema, integerSchema, validate } from '../../src/ports/index.js'
import { LINE, operationUrl, SERVER_HEADERS, SERVER_KEY, serverKeyOf } from '../node-kit/index.js'

/** Options of `HttpReranker`. */
export interface HttpRerankerOptions {
  /**
   * URL of the server up to `/rerank`, such as `http://127.0.0.1:8000/v1` for vLLM or `http://127.0.0.1:8080` for
   * text-embeddings-inference. The host decides where texts go, so addresses of this machine and of private networks
   * are allowed.
   */
  readonly baseUrl: string
  /** Name of the model on the server. Default: none, for servers with one model. */
  readonly model?: string | undefined
  /** Name that explanations and telemetry show. Default: `model`, or `remote`. */
  readonly id?: string | undefined
  /** Key of the server. It is in no log and in no error. Default: `apiKeyFile`, or no key. */
  readonly apiKey?: string | undefined
  /** File with the key. White space around the key is ignored. */
  readonly apiKeyFile?: string | undefined
  /** Further headers of each request, for gateways. They replace the engine's own. They are in no log and in no error. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Searches that ask the server at a time. Default: 4. */
  readonly concurrency?: number | undefined
}

const OPTIONS = closedObjectSchema({
  baseUrl: z.string({ error: 'must be a URL' }),
  model: LINE.optional(),
  id: LINE.optional(),
  apiKey: SERVER_KEY.optional(),
  apiKeyFile: LINE.optional(),
  headers: SERVER_HEADERS.optional(),
  concurrency: integerSchema({ min: 1, max: 64 }).default(4),
})

/** Checked options with their defaults. */
export interface CheckedOptions extends HttpRerankerOptions {
  readonly id: string
  readonly concurrency: number
  /** The address of the operation. */
  readonly url: URL
  readonly key: string | undefined
}

/** @throws InvalidInputError; it never contains the key */
export async function checkOptions(options: HttpRerankerOptions): Promise<CheckedOptions> {
  const checked = validate(OPTIONS, options)
  const { baseUrl, model, id = model ?? 'remote' } = checked
  const url = operationUrl(baseUrl, 'rerank', 'http://127.0.0.1:8000/v1')
  return { ...checked, id, url, key: await serverKeyOf(checked) }
}

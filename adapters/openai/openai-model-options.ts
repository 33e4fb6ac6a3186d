import { z } from 'zod'
import {
  closedObjectSchema,
  type EmbedOptions,
  integerSchema,
  type TokenCounter,
  validate,
} from '../../src/ports/index.js'
import { LINE, operationUrl, SERVER_HEADERS, SERVER_KEY, serverKeyOf } from '../node-kit/index.js'
import { REQUEST_BODY, type RequestBody } from './request-body.js'

/** Options of `OpenAiEmbeddingModel`. */
export interface OpenAiModelOptions {
  /**
   * URL of the server up to `/v1`, such as `http://127.0.0.1:11434/v1` for Ollama. The host decides where texts go, so
   * addresses of this machine and of private networks are allowed. Default: `https://api.openai.com/v1`.
   */
  readonly baseUrl?: string | undefined
  /** Name of the model on the server, such as `nomic-embed-text` or `text-embedding-3-small`. */
  readonly model: string
  /** Name under which contexts know the model. Another one makes another model, with new vectors. Default: `model`. */
  readonly id?: string | undefined
  /** Key of the server. It is in no log and in no error. Default: `apiKeyFile`, or no key. */
  readonly apiKey?: string | undefined
  /** File with the key. White space around the key is ignored. */
  readonly apiKeyFile?: string | undefined
  /** Further headers of each request, for gateways. They replace the engine's own. They are in no log and in no error. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Number of components of a vector. Default: that of OpenAI's own models; for others, one request asks the server at
   * the opening, and the opening fails if the server is away.
   */
  readonly dimensions?: number | undefined
  /**
   * True to ask the server for shorter vectors with `dimensions`, which few models can give. Default: true for OpenAI's
   * models `text-embedding-3` with other dimensions than their own.
   */
  readonly sendsDimensions?: boolean | undefined
  /** Most tokens of one text that the model reads. Default: 8,191 for OpenAI's models, 512 for others. */
  readonly windowTokens?: number | undefined
  /** Text in front of every query, such as `search_query: `. Default: none. */
  readonly queryPrefix?: string | undefined
  /** Text in front of every passage, such as `search_document: `. Default: none. */
  readonly passagePrefix?: string | undefined
  /**
   * Members that each request for queries has besides the engine's own, as JSON, for a server that asks what a text is
   * for: `{ input_type: 'query' }`, or another `model`. They replace those of the same name; `input` cannot be replaced.
   * Default: none.
   */
  readonly queryBody?: Readonly<Record<string, unknown>> | undefined
  /** As `queryBody`, for requests for passages: `{ input_type: 'document' }`. Default: none. */
  readonly passageBody?: Readonly<Record<string, unknown>> | undefined
  /**
   * Counts the tokens of the model. The window is then taken as it is. Default: an exact counter for OpenAI's models if
   * the package `gpt-tokenizer` is installed; otherwise an estimate, of which windows leave a fifth as a margin.
   */
  readonly tokenCounter?: TokenCounter | undefined
  /** Most texts in one request. Default: 32. A server that takes fewer gets fewer. */
  readonly batchSize?: number | undefined
  /** Most requests for passages at a time. Default: 2. */
  readonly concurrency?: number | undefined
  /** Milliseconds that one request may take. A query has at most 10,000. Default: 60,000. */
  readonly timeoutMs?: number | undefined
}

const PREFIX = z.string({ error: 'must be a text' }).max(1_000, 'must have at most 1000 characters')

const OPTIONS = closedObjectSchema({
  baseUrl: z.string({ error: 'must be a URL' }).default('https://api.openai.com/v1'),
  model: LINE,
  id: LINE.optional(),
  apiKey: SERVER_KEY.optional(),
  apiKeyFile: LINE.optional(),
  headers: SERVER_HEADERS.optional(),
  dimensions: integerSchema({ min: 1, max: 65_536 }).optional(),
  sendsDimensions: z.boolean({ error: 'must be true or false' }).optional(),
  windowTokens: integerSchema({ min: 32, max: 1_000_000 }).optional(),
  queryPrefix: PREFIX.default(''),
  passagePrefix: PREFIX.default(''),
  queryBody: REQUEST_BODY.default({}),
  passageBody: REQUEST_BODY.default({}),
  tokenCounter: z.custom<TokenCounter>(isCounter, 'must have the methods split and count').optional(),
  batchSize: integerSchema({ min: 1, max: 2_048 }).default(32),
  concurrency: integerSchema({ min: 1, max: 64 }).default(2),
  timeoutMs: integerSchema({ min: 1, max: 3_600_000 }).default(60_000),
})

type WithDefault =
  | 'baseUrl'
  | 'queryPrefix'
  | 'passagePrefix'
  | 'queryBody'
  | 'passageBody'
  | 'batchSize'
  | 'concurrency'
  | 'timeoutMs'
type ParsedOptions = OpenAiModelOptions & {
  readonly [Name in WithDefault]-?: Exclude<OpenAiModelOptions[Name], undefined>
}

/** Checked options with their defaults. */
export interface CheckedOptions extends ParsedOptions {
  /** The address of the operation. */
  readonly url: URL
  readonly key: string | undefined
}

/** The members that a request for texts of a kind has besides the engine's own. */
export function bodyOf({ queryBody, passageBody }: CheckedOptions, kind: EmbedOptions['kind']): RequestBody {
  return kind === 'query' ? queryBody : passageBody
}

/** @throws InvalidInputError; it never contains the key */
export async function checkOptions(options: OpenAiModelOptions): Promise<CheckedOptions> {
  const checked: ParsedOptions = validate(OPTIONS, options)
  const url = operationUrl(checked.baseUrl, 'embeddings', 'http://127.0.0.1:11434/v1')
  return { ...checked, url, key: await serverKeyOf(checked) }
}

function isCounter(value: unknown): boolean {
  const { split, count } = (value ?? {}) as Partial<TokenCounter>
  return typeof split === 'function' && typeof count === 'function'
}

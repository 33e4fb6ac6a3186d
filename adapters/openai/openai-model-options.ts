import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  closedObjectSchema,
  InvalidInputError,
  integerSchema,
  type TokenCounter,
  textSchema,
  validate,
} from '../../src/ports/index.js'

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

const LINE = textSchema({ min: 1, max: 255 })
/** Fetch refuses other characters in a header, and its error would show the key. */
const KEY = z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII without white space')
const HEADER = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]{0,4094}[\x21-\x7e])?$/, 'must be printable ASCII without white space around it')
const PREFIX = z.string({ error: 'must be a text' }).max(1_000, 'must have at most 1000 characters')

const OPTIONS = closedObjectSchema({
  baseUrl: z.string({ error: 'must be a URL' }).default('https://api.openai.com/v1'),
  model: LINE,
  id: LINE.optional(),
  apiKey: KEY.optional(),
  apiKeyFile: LINE.optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header'), HEADER).optional(),
  dimensions: integerSchema({ min: 1, max: 65_536 }).optional(),
  sendsDimensions: z.boolean({ error: 'must be true or false' }).optional(),
  windowTokens: integerSchema({ min: 32, max: 1_000_000 }).optional(),
  queryPrefix: PREFIX.default(''),
  passagePrefix: PREFIX.default(''),
  tokenCounter: z.custom<TokenCounter>(isCounter, 'must have the methods split and count').optional(),
  batchSize: integerSchema({ min: 1, max: 2_048 }).default(32),
  concurrency: integerSchema({ min: 1, max: 64 }).default(2),
  timeoutMs: integerSchema({ min: 1, max: 3_600_000 }).default(60_000),
})

type WithDefault = 'baseUrl' | 'queryPrefix' | 'passagePrefix' | 'batchSize' | 'concurrency' | 'timeoutMs'
type ParsedOptions = OpenAiModelOptions & {
  readonly [Name in WithDefault]-?: Exclude<OpenAiModelOptions[Name], undefined>
}

/** Checked options with their defaults. */
export interface CheckedOptions extends ParsedOptions {
  /** The address of the operation. */
  readonly url: URL
  readonly key: string | undefined
}

/** @throws InvalidInputError; it never contains the key */
export async function checkOptions(options: OpenAiModelOptions): Promise<CheckedOptions> {
  const checked: ParsedOptions = validate(OPTIONS, options)
  if (checked.apiKey !== undefined && checked.apiKeyFile !== undefined) {
    throw new InvalidInputError('apiKeyFile', 'cannot be given together with apiKey')
  }
  const key = checked.apiKeyFile === undefined ? checked.apiKey : await readKey(checked.apiKeyFile)
  return { ...checked, url: embeddingsUrl(checked.baseUrl), key }
}

/** The address of the operation. A query of the base URL, as of Azure, stays. */
function embeddingsUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError('baseUrl', 'must be an http or https URL, such as http://127.0.0.1:11434/v1')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError('baseUrl', 'must have no user and password: give a key with apiKey or apiKeyFile')
  }
  url.hash = ''
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/embeddings$/, '')}/embeddings`
  return url
}

async function readKey(file: string): Promise<string> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new InvalidInputError('apiKeyFile', `the file ${file} cannot be read`, { cause: error })
  }
  if (!KEY.safeParse(text).success) {
    throw new InvalidInputError('apiKeyFile', `the file ${file} must contain one key, and nothing else`)
  }
  return text
}

function isCounter(value: unknown): boolean {
  const { split, count } = (value ?? {}) as Partial<TokenCounter>
  return typeof split === 'function' && typeof count === 'function'
}

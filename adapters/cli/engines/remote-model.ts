import { InvalidInputError } from '../../../src/index.js'
import type { OpenAiModelOptions } from '../../openai/index.js'

/** The values of the options for a model on a server. */
interface RemoteModelOptions {
  readonly embeddingUrl?: string
  readonly embeddingModel?: string
  readonly embeddingId?: string
  readonly embeddingKeyFile?: string
  readonly embeddingDimensions?: number
  readonly embeddingWindow?: number
  readonly embeddingQueryPrefix?: string
  readonly embeddingPassagePrefix?: string
  /** JSON as the user has typed it, so that a hint can repeat it. */
  readonly embeddingQueryBody?: string
  readonly embeddingPassageBody?: string
}

/**
 * The key is in the file of the options, or in the environment variable `ALCOVE_EMBEDDING_KEY`.
 *
 * @returns the model on a server that the options name; undefined without them
 * @throws InvalidInputError if some of the options are given, but not the model, or neither a server nor a key,
 *   or if a body is no JSON
 */
export function remoteModelsOf(options: RemoteModelOptions): readonly OpenAiModelOptions[] | undefined {
  const { embeddingUrl: baseUrl, embeddingModel: model, embeddingId: id, embeddingKeyFile } = options
  const { embeddingDimensions, embeddingWindow, embeddingQueryPrefix, embeddingPassagePrefix } = options
  const { embeddingQueryBody, embeddingPassageBody } = options
  if (model === undefined) {
    if (baseUrl === undefined) return undefined
    throw new InvalidInputError('--embedding-url', 'name the model of the server with --embedding-model')
  }
  // A key on the command line would be visible to other users, so there is no option for it.
  const variable = process.env['ALCOVE_EMBEDDING_KEY']
  const key = variable === '' ? undefined : variable
  if (baseUrl === undefined && embeddingKeyFile === undefined && key === undefined) {
    const ways = 'name its server with --embedding-url, or give a key of OpenAI with --embedding-key-file'
    throw new InvalidInputError('--embedding-model', `${ways}; --model chooses a model on this machine`)
  }
  const given = {
    model,
    id,
    baseUrl,
    apiKeyFile: embeddingKeyFile,
    apiKey: embeddingKeyFile === undefined ? key : undefined,
    dimensions: embeddingDimensions,
    windowTokens: embeddingWindow,
    queryPrefix: embeddingQueryPrefix,
    passagePrefix: embeddingPassagePrefix,
    queryBody: bodyOf('--embedding-query-body', embeddingQueryBody),
    passageBody: bodyOf('--embedding-passage-body', embeddingPassageBody),
  }
  return [given]
}

/** The model checks the value. */
function bodyOf(flag: string, text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw new InvalidInputError(flag, 'must be an object as JSON, such as {"input_type":"query"}', { cause: error })
  }
}

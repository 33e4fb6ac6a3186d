import { InvalidInputError } from '../../../src/index.js'
import type { HttpRerankerOptions } from '../../http-reranker/index.js'

/** The values of the options for a reranker on a server. */
interface RemoteRerankerOptions {
  readonly rerankerUrl?: string
  readonly rerankerModel?: string
  readonly rerankerKeyFile?: string
}

/**
 * The key is in the file of the options, or in the environment variable `ALCOVE_RERANKER_KEY`.
 *
 * @returns the reranker that the options name; undefined without them
 * @throws InvalidInputError if some of the options are given, but not the server
 */
export function remoteRerankerOf(options: RemoteRerankerOptions): HttpRerankerOptions | undefined {
  const { rerankerUrl: baseUrl, rerankerModel: model, rerankerKeyFile: apiKeyFile } = options
  if (baseUrl === undefined) {
    if (model === undefined && apiKeyFile === undefined) return undefined
    const given = model === undefined ? '--reranker-key-file' : '--reranker-model'
    throw new InvalidInputError(given, 'name the server with --reranker-url')
  }
  // A key on the command line would be visible to other users, so there is no option for it.
  const key = process.env['ALCOVE_RERANKER_KEY']
  return { baseUrl, model, apiKeyFile, apiKey: apiKeyFile === undefined && key !== '' ? key : undefined }
}

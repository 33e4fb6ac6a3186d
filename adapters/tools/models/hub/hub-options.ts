import { InvalidInputError, UnsupportedError } from '../../../../src/index.js'
import { messageOf } from '../../../../src/ports/index.js'
import { isCode } from '../../../node-kit/index.js'

export interface HubOptions {
  /** Owner and name. */
  readonly repository: string
  /** A branch, a tag or a commit. */
  readonly revision: string
  /** As of {@link endpointOf}. */
  readonly endpoint: string
  readonly token: string | undefined
  /** Default: that of Node, with the proxy of the environment. */
  readonly fetch: Fetch | undefined
  readonly signal: AbortSignal | undefined
}

export type Fetch = typeof globalThis.fetch
export type HubLibrary = typeof import('@huggingface/hub')

const DEFAULT_ENDPOINT = 'https://huggingface.co'

/** @param field the option or the variable that has the text @throws InvalidInputError */
function checkEndpoint(field: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new InvalidInputError(field, `must be an http or https URL, such as ${DEFAULT_ENDPOINT}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(field, 'must have no user and password: give a token in HF_TOKEN')
  }
  return url.href.replace(/\/+$/, '')
}

/**
 * The hub, unless an option or the environment names a mirror.
 *
 * @returns a URL without a slash at the end
 * @throws InvalidInputError
 */
export function endpointOf(given: string | undefined): string {
  if (given !== undefined) return checkEndpoint('endpoint', given)
  return checkEndpoint('HF_ENDPOINT', variable('HF_ENDPOINT') ?? DEFAULT_ENDPOINT)
}

/** @returns the value of a variable of the environment; undefined if it is empty */
export function variable(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** @throws UnsupportedError if the package is not installed */
export async function loadLibrary(): Promise<HubLibrary> {
  try {
    return await import('@huggingface/hub')
  } catch (error) {
    if (isCode(error, 'ERR_MODULE_NOT_FOUND')) {
      throw new UnsupportedError(
        'a download of a model needs the package @huggingface/hub: run "npm install @huggingface/hub", or copy the files of the model and add them with "alcove model add FOLDER"',
        { cause: error },
      )
    }
    throw new UnsupportedError(`the package @huggingface/hub cannot be loaded: ${messageOf(error)}`, { cause: error })
  }
}

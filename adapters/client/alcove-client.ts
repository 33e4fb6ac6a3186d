import createClient, { type Client } from 'openapi-fetch'
import { Access, type ClientAccess } from './access.js'
import { AlcoveApiError, dataOf } from './api-error.js'
import { baseUrlOf, check, checkMembers } from './arguments.js'
import { answered, nameOf, unreachable } from './client-error.js'
import { type DocumentState, documentStates, type WatchOptions } from './document-stream.js'
import { isRepeatable } from './file-content.js'
import type { paths } from './generated/api.js'
import { type Fetch, type RetryOptions, retryingFetch, wait, waitBeforeRetry } from './retrying-fetch.js'
import { checkUpload, type FileToUpload, sendFile, type UploadOptions } from './upload.js'
import { type DocumentWithReceipt, type WaitOptions, whenProcessed } from './wait-for-document.js'

export interface AlcoveClientOptions extends RetryOptions {
  /** Address of the server, with the base path if it has one, such as `https://app.example.com/alcove`. */
  readonly baseUrl: string
  /** The way to show who the client is. */
  readonly access: ClientAccess
  /** Sends requests. Default: the global `fetch`, and XMLHttpRequest for uploads with progress in browsers. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * A client of the REST API. Its methods `GET`, `POST`, `PUT`, `PATCH` and `DELETE` take a path of the API, with types
 * for its parameters, body and answer. They answer `{ data, error, response }`; see {@link dataOf}. They reject with an
 * `AlcoveClientError` if no answer comes.
 */
export interface AlcoveClient extends Pick<Client<paths>, 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'> {
  /**
   * Uploads a document. It is processed afterwards: see {@link AlcoveClient.whenProcessed}.
   *
   * @returns its UUID
   * @throws AlcoveApiError if the server refuses the file
   * @throws AlcoveClientError for a wrong argument, or if no answer comes
   */
  upload(contextId: number, file: FileToUpload, options?: UploadOptions): Promise<string>
  /**
   * Uploads a new version of a document, which keeps its id.
   *
   * @returns the UUID of the new version
   * @throws AlcoveApiError if the server refuses the file
   * @throws AlcoveClientError for a wrong argument, or if no answer comes
   */
  replace(contextId: number, docId: number, file: FileToUpload, options?: UploadOptions): Promise<string>
  /**
   * Follows the states of the documents of a context: those at the beginning, then each change. Connects again by itself;
   * then all states come again. A watch with a `docId` ends with the deletion of its document.
   *
   * @throws AlcoveClientError for a wrong argument
   * @throws AlcoveApiError once the caller may not read the context, or has too many watches (`ERR_THROTTLED`)
   * @throws Error of the name `StreamUnusableError` if a proxy does not pass the stream on
   */
  watch(contextId: number, options?: WatchOptions): AsyncIterable<DocumentState>
  /**
   * Waits until the newest version of a document is completed, by the stream of states, or else by asking.
   *
   * @param document UUID, or id within the context
   * @throws AlcoveClientError for a wrong argument
   * @throws DocumentProcessingError once its failure is final
   * @throws AlcoveApiError `ERR_DOCUMENT_NOT_FOUND`, also if the document is deleted during the wait
   */
  whenProcessed(contextId: number, document: string | number, options?: WaitOptions): Promise<DocumentWithReceipt>
}

/**
 * Creates a client of the REST API, for Node and browsers. It keeps no connection open by itself.
 *
 * @throws AlcoveClientError `ERR_INVALID_INPUT` for an option that is wrong or unknown
 */
export function createAlcoveClient(options: AlcoveClientOptions): AlcoveClient {
  checkMembers('options', options, ['baseUrl', 'access'], ['fetch', 'maxRetries', 'maxRetryWaitMs'])
  const baseUrl = baseUrlOf(options.baseUrl)
  // Looked up at each call: a host may replace the global one.
  const plain: Fetch = async (request) =>
    await answered(request.url, request.signal, async () => await (options.fetch ?? globalThis.fetch)(request))
  const send = retryingFetch(plain, options)
  const access = new Access(options.access, baseUrl, send)
  const authorized = withAccess(send, access, baseUrl)
  const api = createClient<paths>({ baseUrl, fetch: authorized })
  const upload = createUpload(options, access, baseUrl)

  async function* statesOf(
    contextId: number,
    { docId, snapshot, signal }: WatchOptions,
    retries: RetryOptions = options,
  ): AsyncGenerator<DocumentState | 'ready'> {
    const query = new URLSearchParams({
      ...(docId !== undefined && { docId: String(docId) }),
      ...(snapshot !== undefined && { snapshot }),
    })
    const url = `${baseUrl}/context/documents/${contextId}/events?${query.toString()}`
    const open = async (end: AbortSignal, onSend: () => void): Promise<Response> => {
      const sendOnce: Fetch = async (request) => {
        onSend()
        return await plain(request)
      }
      return await withAccess(sendOnce, access, baseUrl)(new Request(url, { signal: end }))
    }
    yield* documentStates(open, signal, retries)
  }
  const GET = readable(api.GET, authorized)
  return {
    GET,
    POST: readable(api.POST, authorized),
    PUT: readable(api.PUT, authorized),
    PATCH: readable(api.PATCH, authorized),
    DELETE: readable(api.DELETE, authorized),
    upload: async (contextId, file, given) => {
      check({ contextId })
      return await upload('POST', `/context/upload/${contextId}`, file, given)
    },
    replace: async (contextId, docId, file, given) => {
      check({ contextId, docId })
      return await upload('PUT', `/context/upload/${contextId}/${docId}`, file, given)
    },
    async *watch(contextId, watchOptions = {}) {
      check({ contextId })
      checkMembers('options', watchOptions, [], ['docId', 'snapshot', 'signal', 'onReady'])
      for await (const state of statesOf(contextId, watchOptions)) {
        if (state === 'ready') watchOptions.onReady?.()
        else yield state
      }
    },
    whenProcessed: async (contextId, document, waitOptions = {}) => {
      check({ contextId, document })
      checkMembers('options', waitOptions, [], ['signal', 'onState'])
      const path = { contextId }
      const operations = {
        // With too many watches, it asks for the document at once.
        states: (selection: WatchOptions) => statesOf(contextId, selection, { maxRetries: 0 }),
        list: async () => await dataOf(GET('/context/documents/{contextId}', { params: { path } })),
        get: async (docId: number) =>
          await dataOf(GET('/context/documents/{contextId}/{docId}', { params: { path: { ...path, docId } } })),
      }
      return await whenProcessed(operations, document, waitOptions)
    },
  }
}

interface CallOptions {
  readonly fetch?: Fetch
  readonly signal?: AbortSignal
}

/** An operation whose answer may be unreadable: the page of a proxy, or one that breaks off. */
function readable<Call extends (...args: never[]) => Promise<unknown>>(call: Call, send: Fetch): Call {
  const operation = async (path: string, options: CallOptions = {}): Promise<unknown> => {
    let response: Response | undefined
    const fetch: Fetch = async (request) => (response = await (options.fetch ?? send)(request))
    try {
      return await (call as unknown as (path: string, options: CallOptions) => Promise<unknown>)(path, {
        ...options,
        fetch,
      })
    } catch (error) {
      if (response === undefined || options.signal?.aborted === true) throw error
      throw nameOf(error) === 'SyntaxError' ? new AlcoveApiError({}, response) : unreachable(response.url, error)
    }
  }
  return operation as unknown as Call
}

/** Adds the token to requests. A token that is refused is replaced once. */
function withAccess(send: Fetch, access: Access, baseUrl: string): Fetch {
  const { pathname } = new URL(baseUrl)
  const basePath = pathname === '/' ? '' : pathname
  return async (request) => {
    const path = new URL(request.url).pathname.slice(basePath.length)
    const again = access.canRenew ? request.clone() : undefined
    await authorize(request, access, path)
    const response = await send(request)
    if (response.status !== 401 || again === undefined) return response
    await response.body?.cancel()
    access.forget(path)
    await authorize(again, access, path)
    return await send(again)
  }
}

async function authorize(request: Request, access: Access, path: string): Promise<void> {
  for (const [name, value] of Object.entries(await access.headersOf(path))) request.headers.set(name, value)
}

type Upload = (method: 'POST' | 'PUT', path: string, file: FileToUpload, options?: UploadOptions) => Promise<string>

/**
 * Sends a file again after 429 and 503, and once with a new token, if its bytes can be sent again. After 503 too,
 * although the server may have stored the file: the same bytes under the same name are the same document.
 */
function createUpload(options: AlcoveClientOptions, access: Access, baseUrl: string): Upload {
  const { fetch } = options
  return async (method, path, file, given = {}) => {
    checkUpload(file, given)
    let isRenewed = false
    for (let tries = 0; ; tries += 1) {
      try {
        const headers = await access.headersOf(path)
        const request = { method, url: baseUrl + path, headers, fetch }
        return await sendFile(request, file, given)
      } catch (error) {
        if (!(error instanceof AlcoveApiError) || !isRepeatable(file.content)) throw error
        const waitMs = waitBeforeRetry(options, error, tries)
        if (error.status === 401 && access.canRenew && !isRenewed) {
          isRenewed = true
          access.forget(path)
        } else if (waitMs !== undefined) {
          await wait(waitMs, given.signal)
        } else throw error
      }
    }
  }
}

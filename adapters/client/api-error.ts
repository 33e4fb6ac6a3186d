import type { components } from './generated/api.js'

/** A problem document of the server (RFC 9457). */
export type Problem = components['schemas']['Problem']

/** An answer of the server that says why an operation was refused, or has failed. */
export class AlcoveApiError extends Error {
  override readonly name = 'AlcoveApiError'
  /** Status of the answer; 0 if the problem came with an event. */
  readonly status: number
  /** Stable, such as `ERR_CONTEXT_NOT_FOUND`. `ERR_HTTP` if the answer is not from Alcove, but from a proxy. */
  readonly code: string
  /** Path of the field that is not valid, such as `starterPrompts[2]`; undefined for an error about no field. */
  readonly field: string | undefined
  /** The message as a code with parameters, if the server gives one. */
  readonly reason: Problem['reason']
  /** Seconds after which the server asks to try again. */
  readonly retryAfterSeconds: number | undefined
  /** Id of the request in the log of the server. */
  readonly requestId: string | undefined

  constructor(problem: Partial<Problem>, response?: Pick<Response, 'status' | 'headers'> & { readonly url?: string }) {
    const status = problem.status ?? response?.status ?? 0
    // A `fetch` of the host may give answers without an address.
    const place = response?.url ? ` from ${response.url.split('?', 1)[0]}` : ''
    super(problem.detail ?? `the answer ${status}${place} is not from Alcove: check baseUrl and proxies`)
    this.status = status
    this.code = problem.code ?? 'ERR_HTTP'
    this.field = problem.field
    this.reason = problem.reason
    this.retryAfterSeconds = response && retryAfterOf(response)
    this.requestId = response?.headers.get('x-request-id') ?? undefined
  }
}

/** A document whose processing has failed for good. */
export class DocumentProcessingError extends Error {
  override readonly name = 'DocumentProcessingError'
  /** Stable, such as `ERR_NO_TEXT`. */
  readonly code: string
  readonly contextId: number
  readonly docId: number

  /** @param error the sentence of the document */
  constructor(
    error: string,
    {
      errorCode,
      contextId,
      docId,
    }: { readonly errorCode: string | null; readonly contextId: number; readonly docId: number },
  ) {
    super(error)
    this.code = errorCode ?? 'ERR_INTERNAL'
    this.contextId = contextId
    this.docId = docId
  }
}

/** @returns the seconds of `Retry-After`; undefined without a valid one */
export function retryAfterOf({ headers }: Pick<Response, 'headers'>): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000))
}

/** The error of an answer. Reads its body. */
export async function errorOf(response: Response): Promise<AlcoveApiError> {
  const text = await response.text().catch(() => '')
  return new AlcoveApiError(problemIn(text), response)
}

/** @returns the members of a problem document; none for another text, such as the page of a proxy */
export function problemIn(text: string): Partial<Problem> {
  const value = jsonIn(text)
  return typeof value === 'object' && value !== null ? value : {}
}

/** @returns undefined for a text that is no JSON */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer as the operations of the client give it. */
interface ApiAnswer<Data> {
  readonly data?: Data | undefined
  readonly error?: unknown
  readonly response: Response
}

/**
 * The data of an answer: `const contexts = await dataOf(client.GET('/context'))`.
 * @throws AlcoveApiError if the server refused the operation
 */
export async function dataOf<Data>(answer: Promise<ApiAnswer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  if (response.ok) return data as Data
  throw new AlcoveApiError(typeof error === 'object' && error !== null ? error : {}, response)
}

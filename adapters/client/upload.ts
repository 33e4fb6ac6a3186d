import { AlcoveApiError, errorOf, jsonIn, problemIn } from './api-error.js'
import { checkMembers } from './arguments.js'
import { answered, invalid, unreachable } from './client-error.js'
import { type FileContent, isRepeatable } from './file-content.js'

/** A file to upload. */
export interface FileToUpload {
  /** Its name ends in the format, such as `report.pdf`. */
  readonly fileName: string
  readonly content: FileContent
  /** Metadata of the document. Default: none; a replaced document keeps its own. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

export interface UploadProgress {
  /** Bytes that were handed to the network. */
  readonly sentBytes: number
  /** Undefined for a stream, whose size is unknown. */
  readonly totalBytes: number | undefined
  /** 0 to 100; undefined if `totalBytes` is. */
  readonly percent: number | undefined
}

export interface UploadOptions {
  /** Called as bytes are sent. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Ends the upload, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A request that sends a form, and its way to the server. */
export interface FormRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** `fetch` that a host gave the client. With one, no XMLHttpRequest is used. */
  readonly fetch: typeof globalThis.fetch | undefined
}

/** @throws AlcoveClientError `ERR_INVALID_INPUT` */
export function checkUpload(file: FileToUpload, options: UploadOptions): void {
  checkMembers('file', file, ['fileName', 'content'], ['metadata'])
  checkMembers('options', options, [], ['onProgress', 'signal'])
}

/**
 * Sends a file. A browser sends it by XMLHttpRequest, which alone reports progress there. Elsewhere a stream is sent if
 * progress is asked for, or if the content is one.
 *
 * @returns the UUID of the document
 * @throws AlcoveApiError, AlcoveClientError, and the error of a stream that fails
 */
export async function sendFile(request: FormRequest, file: FileToUpload, options: UploadOptions): Promise<string> {
  const { content } = file
  if (isStream(content)) return await sendStream(request, file, content, undefined, options)
  const blob = typeof content === 'string' || ArrayBuffer.isView(content) ? new Blob([content]) : content
  if (options.onProgress === undefined) return await sendForm(request, toForm(file, blob), options)
  const { XMLHttpRequest } = globalThis as { readonly XMLHttpRequest?: new () => XhrRequest }
  if (XMLHttpRequest !== undefined && request.fetch === undefined)
    return await sendXhr(new XMLHttpRequest(), request, toForm(file, blob), blob.size, options)
  return await sendStream(request, file, blob.stream(), blob.size, options)
}

function isStream(content: FileContent): content is AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> {
  return !isRepeatable(content)
}

function toForm({ fileName, metadata }: FileToUpload, blob: Blob): FormData {
  const form = new FormData()
  // In front of the file: a server may refuse it before it reads the file.
  if (metadata !== undefined) form.append('metadata', JSON.stringify(metadata))
  form.append('file', blob, fileName)
  return form
}

async function sendForm(request: FormRequest, body: FormData, { signal }: UploadOptions): Promise<string> {
  return await sendBody(request, { body, ...(signal !== undefined && { signal }) })
}

async function sendBody(
  { url, fetch = globalThis.fetch, method, headers }: FormRequest,
  init: Pick<RequestInit, 'body' | 'signal'>,
): Promise<string> {
  return await answered(url, init.signal, async () => {
    const response = await fetch(url, { method, headers, ...init })
    if (!response.ok) throw await errorOf(response)
    return uuidIn(await response.text(), response)
  })
}

/** The UUID in an answer. @throws AlcoveApiError `ERR_HTTP` for another text, such as the page of a proxy */
function uuidIn(text: string, response: Pick<Response, 'status' | 'headers'>): string {
  const value = jsonIn(text)
  if (typeof value === 'string') return value
  throw new AlcoveApiError({}, response)
}

async function sendStream(
  request: FormRequest,
  file: FileToUpload,
  content: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
  totalBytes: number | undefined,
  { onProgress, signal }: UploadOptions,
): Promise<string> {
  const boundary = `alcove-${crypto.randomUUID()}`
  const pieces = multipart(file, content as AsyncIterable<Uint8Array>, boundary, (sentBytes) =>
    onProgress?.(progressOf(sentBytes, totalBytes)),
  )
  let failure: { readonly error: unknown } | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await pieces.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          failure = { error }
          throw error
        }
      },
      cancel: async () => {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { ...request.headers, 'content-type': `multipart/form-data; boundary=${boundary}` }
  // `duplex` is required for a stream; not all types know it.
  const init = { body, duplex: 'half', ...(signal !== undefined && { signal }) } as RequestInit
  try {
    return await sendBody({ ...request, headers }, init)
  } catch (error) {
    // The content has failed, not the network.
    throw failure === undefined ? error : failure.error
  }
}

/** So small that progress is seen: a Blob in memory comes in one piece. */
const PIECE_BYTES = 65_536

/** A form with the file as its last part (RFC 7578). */
async function* multipart(
  { fileName, metadata }: FileToUpload,
  content: AsyncIterable<Uint8Array>,
  boundary: string,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder()
  const part = (disposition: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const fields = metadata === undefined ? '' : `${part('name="metadata"')}\r\n${JSON.stringify(metadata)}\r\n`
  const name = fileName.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const head = `${part(`name="file"; filename="${name}"`)}Content-Type: application/octet-stream\r\n\r\n`
  yield encoder.encode(fields + head)
  let sent = 0
  for await (const large of content) {
    if (!ArrayBuffer.isView(large)) throw invalid('content', 'must be a stream of bytes: each piece is a Uint8Array')
    for (let at = 0; at < large.byteLength; at += PIECE_BYTES) {
      const piece = large.subarray(at, at + PIECE_BYTES)
      yield piece
      sent += piece.byteLength
      onSent(sent)
    }
  }
  yield encoder.encode(`\r\n--${boundary}--\r\n`)
}

function progressOf(sentBytes: number, totalBytes: number | undefined): UploadProgress {
  const percent = totalBytes === undefined ? undefined : Math.floor((100 * sentBytes) / Math.max(1, totalBytes))
  return { sentBytes, totalBytes, percent }
}

/** The part of XMLHttpRequest that an upload needs: Node has no types of browsers. */
interface XhrRequest {
  readonly upload: { onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null }
  readonly status: number
  readonly responseURL: string
  readonly responseText: string
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  ontimeout: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body: FormData): void
  abort(): void
}

async function sendXhr(
  xhr: XhrRequest,
  { method, url, headers }: FormRequest,
  form: FormData,
  size: number,
  { onProgress, signal }: UploadOptions,
): Promise<string> {
  signal?.throwIfAborted()
  const abort = (): void => xhr.abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      xhr.open(method, url)
      for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
      // `loaded` also counts the framing of the form.
      xhr.upload.onprogress = ({ loaded }) => onProgress?.(progressOf(Math.min(loaded, size), size))
      const fail = (reason: string) => (): void => reject(unreachable(url, new TypeError(reason)))
      xhr.onerror = fail('the connection was lost')
      // A page may set a time limit for all its requests.
      xhr.ontimeout = fail('no answer came in time')
      xhr.onabort = () => reject(signal?.reason as Error)
      // An error that is thrown in a listener would reach nobody.
      xhr.onload = () => resolve(Promise.resolve(xhr).then(uuidOf))
      xhr.send(form)
    })
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

function uuidOf(xhr: XhrRequest): string {
  const answer = { status: xhr.status, headers: headersOf(xhr), url: xhr.responseURL }
  if (xhr.status >= 200 && xhr.status < 300) return uuidIn(xhr.responseText, answer)
  throw new AlcoveApiError(problemIn(xhr.responseText), answer)
}

function headersOf(xhr: XhrRequest): Headers {
  const headers = new Headers()
  for (const name of ['retry-after', 'x-request-id']) {
    const value = xhr.getResponseHeader(name)
    if (value !== null) headers.set(name, value)
  }
  return headers
}

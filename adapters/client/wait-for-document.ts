import { AlcoveApiError, DocumentProcessingError } from './api-error.js'
import { type DocumentState, StreamUnusableError, type WatchOptions } from './document-stream.js'
import type { components } from './generated/api.js'
import { wait } from './retrying-fetch.js'

type Document = components['schemas']['Document']

/** A document with its ingestion receipt. */
export type DocumentWithReceipt = components['schemas']['DocumentWithReceipt']

export interface WaitOptions {
  /** Ends the wait, which then rejects with the signal's reason. The document is processed all the same. */
  readonly signal?: AbortSignal | undefined
  /** Called with each state of the document, for example to show its `percent`. */
  readonly onState?: ((state: DocumentState) => void) | undefined
}

/** The operations that a wait needs. All throw AlcoveApiError and AlcoveClientError. */
export interface WaitOperations {
  readonly states: (
    selection: Pick<WatchOptions, 'docId' | 'snapshot' | 'signal'>,
  ) => AsyncIterable<DocumentState | 'ready'>
  readonly list: () => Promise<readonly Document[]>
  readonly get: (docId: number) => Promise<DocumentWithReceipt>
}

const FIRST_POLL_MS = 500
const LONGEST_POLL_MS = 5_000

/**
 * Waits until the newest version of a document is completed. It reads the stream of states. If no stream comes, or there
 * are too many, it asks for the document again and again.
 *
 * @param document UUID, or id within the context
 * @throws DocumentProcessingError once the failure is final
 * @throws AlcoveApiError `ERR_DOCUMENT_NOT_FOUND`, also if the document is deleted during the wait
 */
export async function whenProcessed(
  operations: WaitOperations,
  document: string | number,
  options: WaitOptions,
): Promise<DocumentWithReceipt> {
  try {
    return await waitForStates(operations, document, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!isUnusable(error)) throw error
  }
  return await poll(operations, document, options)
}

/** A server without the stream takes `events` for the id of a document. */
function isUnusable(error: unknown): boolean {
  if (error instanceof StreamUnusableError) return true
  if (!(error instanceof AlcoveApiError)) return false
  return error.status === 400 || error.status === 405 || error.code === 'ERR_THROTTLED' || error.code === 'ERR_HTTP'
}

async function waitForStates(
  { states, list, get }: WaitOperations,
  document: string | number,
  { signal, onState }: WaitOptions,
): Promise<DocumentWithReceipt> {
  let docId = typeof document === 'number' ? document : undefined
  const selection = docId === undefined ? { snapshot: 'unfinished' as const } : { docId }
  for await (const state of states({ ...selection, signal })) {
    if (state === 'ready') {
      if (docId !== undefined) continue
      // It is finished, or it was not there.
      const found = await findDocument(list, document)
      docId = found.id
      if (isFinished(found)) return await get(docId)
    } else if (state.id === docId || state.uuid === document) {
      docId = state.id
      onState?.(state)
      if (state.status === 'completed') return await get(docId)
      if (state.status === 'deleted') throw notFound(document)
      if (state.status === 'failed') throw new DocumentProcessingError(state.error ?? '', { ...state, docId })
    }
  }
  throw new StreamUnusableError('the events have ended')
}

async function poll(
  { list, get }: WaitOperations,
  document: string | number,
  { signal }: WaitOptions,
): Promise<DocumentWithReceipt> {
  const docId = typeof document === 'number' ? document : (await findDocument(list, document)).id
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(LONGEST_POLL_MS, pauseMs * 1.5)) {
    const found = await get(docId)
    if (isFinished(found)) return found
    await wait(pauseMs, signal)
  }
}

/** @throws DocumentProcessingError if the newest version has failed */
function isFinished({ contextId, id: docId, completed, replacement, ...document }: Document): boolean {
  const { error, errorCode } = replacement ?? document
  if (error !== null) throw new DocumentProcessingError(error, { errorCode, contextId, docId })
  return completed !== null && replacement === null
}

async function findDocument(list: WaitOperations['list'], uuid: string | number): Promise<Document> {
  const found = (await list()).find((document) => document.uuid === uuid || document.replacement?.uuid === uuid)
  if (found === undefined) throw notFound(uuid)
  return found
}

function notFound(document: string | number): AlcoveApiError {
  const detail = `the document ${document} does not exist`
  return new AlcoveApiError({ status: 404, code: 'ERR_DOCUMENT_NOT_FOUND', detail })
}

import { type DocumentState, watchSelectionSchema } from '../../../../src/index.js'
import { idSchema, objectSchema } from '../../../../src/ports/index.js'
import { type ServerEvent, streamEvents } from '../../event-stream.js'
import { type Route, route } from '../../route.js'
import { documentStateSchema } from '../../schemas/documents.js'
import { throttledAnswer } from '../../schemas/problems.js'

/** The states of documents as server-sent events. */
export const DOCUMENT_EVENTS_ROUTE: Route = route({
  api: 'assistant',
  access: 'assistant',
  method: 'GET',
  path: '/context/documents/{contextId}/events',
  operationId: 'watchDocuments',
  summary: 'Follow the states and the progress of the documents of a context',
  description:
    'Server-sent events. An event `document` has a state as its data: first those of all documents, then an event ' +
    '`ready` with `{}`, then a `document` for each change. A client that connects again gets all states again, so events ' +
    'have no ids. A slow client gets only the last state of each document. `docId` selects one document, and ' +
    '`snapshot=unfinished` leaves out documents at the beginning that are completed, or have failed. A stream with a ' +
    '`docId` ends with the deletion of its document. A comment comes every 15 seconds. The stream ' +
    'also ends when the token expires or loses its rights: the last event is `end`, with a problem document as its data.',
  params: objectSchema({ contextId: idSchema() }),
  query: watchSelectionSchema,
  answers: {
    200: {
      description: 'A stream of events; the schema is that of the data of an event `document`',
      schema: documentStateSchema,
      contentType: 'text/event-stream',
    },
    429: throttledAnswer('The API key, or the company, already has its maximum of streams'),
  },
  handle: async (call, { documents }) => {
    const { request, params, query } = call
    const leaving = new AbortController()
    const leave = (): void => leaving.abort(new Error('the client has left'))
    // The client may leave before the server begins to send.
    request.signal.addEventListener('abort', leave, { once: true })
    const { promise: opened, resolve: onOpen } = deferred()
    const { promise: ready, resolve: onReady } = deferred()
    const watch = documents.watch(params.contextId, { ...query, signal: leaving.signal, onOpen, onReady })
    const events = new DocumentServerEvents(watch[Symbol.asyncIterator](), ready)
    await Promise.race([opened, events.first])
    // An answer to HEAD has no body that would end the watch.
    if (request.method === 'HEAD') leave()
    return streamEvents(call, events, leave)
  },
})

/** The states of a watch as events, with `ready` after those at the beginning. */
class DocumentServerEvents {
  /** The first state. A refusal rejects it. */
  readonly first: Promise<unknown>
  readonly #states: AsyncIterator<DocumentState>
  readonly #ready: Promise<void>
  #next: Promise<IteratorResult<DocumentState>>
  #isReady = false

  constructor(states: AsyncIterator<DocumentState>, ready: Promise<void>) {
    this.#states = states
    this.#ready = ready
    this.#next = states.next()
    this.first = this.#next
    // The stream reads it later, or never if the client leaves.
    this.#next.catch(() => undefined)
  }

  async next(): Promise<IteratorResult<ServerEvent>> {
    if (!this.#isReady) {
      // First: a state that comes after that is a change.
      const isNow = await Promise.race([this.#ready.then(() => true), this.#next.then(() => false)])
      if (isNow) {
        this.#isReady = true
        return { value: { event: 'ready', data: {} } }
      }
    }
    const state = await this.#next
    if (state.done === true) return { done: true, value: undefined }
    this.#next = this.#states.next()
    this.#next.catch(() => undefined)
    return { value: { event: 'document', data: state.value } }
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

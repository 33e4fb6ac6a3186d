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
    const onReady = (): void => events.tellReady()
    const watch = documents.watch(params.contextId, { ...query, signal: leaving.signal, onOpen, onReady })
    const events = new DocumentServerEvents(watch[Symbol.asyncIterator]())
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
  #next: Promise<IteratorResult<DocumentState>>
  #isReadyDue = false
  #isReadySent = false
  /** Ends the wait for the next state. */
  #wake: () => void = () => undefined

  constructor(private readonly states: AsyncIterator<DocumentState>) {
    this.#next = states.next()
    this.first = this.#next.then(() => undefined)
    // The stream reads it later, or never if the client leaves.
    this.#next.catch(() => undefined)
  }

  /** The states at the beginning have been read. */
  tellReady(): void {
    this.#isReadyDue = true
    this.#wake()
  }

  async next(): Promise<IteratorResult<ServerEvent>> {
    if (!this.#isReadySent) {
      await this.#nextOrReady()
      // First: a state that comes after that is a change.
      if (this.#isReadyDue) {
        this.#isReadySent = true
        return { value: { event: 'ready', data: {} } }
      }
    }
    const state = await this.#next
    if (state.done === true) return { done: true, value: undefined }
    this.#next = this.states.next()
    this.#next.catch(() => undefined)
    return { value: { event: 'document', data: state.value } }
  }

  /** A race with one promise for all states would keep each of them in memory. */
  async #nextOrReady(): Promise<void> {
    if (this.#isReadyDue) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#next.then(
        () => resolve(),
        () => resolve(),
      )
    })
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

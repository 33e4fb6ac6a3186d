/** The role of a span: the work itself, the answer to a request, a request to another server, or a stored job. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

/** The meaning of a span. */
export interface SpanDescription {
  readonly description: string
  /** Default: `internal`. */
  readonly kind?: SpanKind
  /** Names of values that the span and its histogram have. Each has few different values. */
  readonly labels: readonly string[]
  /** Names of values that only the span has, such as ids. */
  readonly attributes: readonly string[]
}

/** The name of a span. */
export type SpanName =
  | 'http.server.request'
  | 'alcove.search'
  | 'alcove.search.embed'
  | 'alcove.search.words'
  | 'alcove.search.vectors'
  | 'alcove.search.read'
  | 'alcove.search.rerank'
  | 'alcove.ingest'
  | 'alcove.ingest.extract'
  | 'alcove.ingest.words'
  | 'alcove.ingest.embed'
  | 'alcove.ingest.index'
  | 'alcove.ingest.complete'
  | 'alcove.deliver'
  | 'alcove.job'

/**
 * All spans of the engine. Each also gives a histogram: its name with `.duration_seconds`, and its labels. A span that
 * failed has the label `error.type` too.
 */
export const SPANS: Readonly<Record<SpanName, SpanDescription>> = {
  'http.server.request': {
    description: 'A request to the REST API, until the answer begins',
    kind: 'server',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    attributes: ['alcove.request.id', 'alcove.company.id'],
  },
  'alcove.search': {
    description: 'A search of one context or of several, or the explanation of a search',
    labels: ['alcove.search.kind', 'alcove.search.mode'],
    attributes: ['alcove.company.id', 'alcove.context.id', 'alcove.search.contexts', 'alcove.search.results'],
  },
  'alcove.search.embed': {
    description: 'The model embeds the windows of the prompt; with the wait for a turn',
    labels: ['alcove.model.id'],
    attributes: ['alcove.model.windows'],
  },
  'alcove.search.words': {
    description: 'One read of the word index; with the wait for a turn',
    labels: [],
    attributes: ['alcove.search.hits'],
  },
  'alcove.search.vectors': {
    description: 'One read of the vector index; with the wait for a turn',
    labels: [],
    attributes: ['alcove.search.hits'],
  },
  'alcove.search.read': {
    description: 'One read of the chunks that were found',
    labels: [],
    attributes: ['alcove.search.hits'],
  },
  'alcove.search.rerank': {
    description: 'The reranker scores the best chunks; with the wait for a turn',
    kind: 'client',
    labels: ['alcove.model.id'],
    attributes: ['alcove.search.hits'],
  },
  'alcove.ingest': {
    description: 'One run of the job that processes a document',
    kind: 'consumer',
    labels: ['alcove.job.kind', 'alcove.model.id'],
    attributes: [
      'alcove.job.subject',
      'alcove.job.failures',
      'alcove.company.id',
      'alcove.context.id',
      'alcove.document.id',
      'alcove.document.size',
      'alcove.document.characters',
      'alcove.document.chunks',
      'alcove.document.windows',
      'alcove.document.windows_reused',
    ],
  },
  'alcove.ingest.extract': {
    description: 'The text is read and cut into chunks; with the writes of the chunks of a large document',
    labels: [],
    attributes: [],
  },
  'alcove.ingest.words': { description: 'The words are indexed', labels: [], attributes: [] },
  'alcove.ingest.embed': {
    description: 'The model embeds the windows; with the writes of the vectors of a large document',
    labels: ['alcove.model.id'],
    attributes: [],
  },
  'alcove.ingest.index': {
    description: 'The vectors of a small document are written, or the last ones of a large document',
    labels: [],
    attributes: [],
  },
  'alcove.ingest.complete': {
    description: 'The transaction that completes the document',
    labels: [],
    attributes: [],
  },
  'alcove.deliver': {
    description: 'One attempt at a delivery',
    kind: 'client',
    labels: ['alcove.job.kind', 'alcove.event.type', 'alcove.delivery.outcome'],
    attributes: [
      'alcove.job.subject',
      'alcove.job.failures',
      'alcove.company.id',
      'alcove.destination.id',
      'alcove.delivery.attempt',
      'alcove.event.host_type',
      'http.response.status_code',
    ],
  },
  'alcove.job': {
    description: 'One run of another job: a purge, a mail, a re-index, words of older documents, a trim, a sweep',
    kind: 'consumer',
    labels: ['alcove.job.kind'],
    attributes: ['alcove.job.subject', 'alcove.job.failures', 'alcove.company.id'],
  },
}

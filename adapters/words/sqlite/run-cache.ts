import { LRUCache } from 'lru-cache'
import type { DocumentIds, IndexedChunk } from '../../../src/ports/index.js'
import type { DocumentRange } from '../posting-source.js'
import { bisect } from '../postings.js'
import { type CollectionState, type Run, readRuns } from './chunk-runs.js'
import type { SqliteConnection } from './sqlite-connection.js'

/** Collections with more chunks are not kept: they may have as many runs, and reading these would take milliseconds. */
const MAX_CHUNKS = 2_500
/** The size of all runs of one index in memory. */
const MAX_BYTES = 8 * 1_048_576
/** The memory of a collection beside its runs, and of one run with its places in two lists and a map. */
const COLLECTION_BYTES = 512
const RUN_BYTES = 192

/** The runs of a collection at one moment, in memory. */
export class KnownRuns {
  /** By document, in ascending order of their ordinals. */
  readonly #ofDocument = new Map<number, Run[]>()

  /** @param runs in ascending order of their numbers */
  constructor(
    /** In ascending order of their numbers. */
    private readonly runs: readonly Run[],
  ) {
    for (const run of [...runs].sort((one, other) => one.chunk - other.chunk)) {
      const others = this.#ofDocument.get(run.document)
      if (others === undefined) this.#ofDocument.set(run.document, [run])
      else others.push(run)
    }
  }

  /** The number of runs. */
  get count(): number {
    return this.runs.length
  }

  /** Returns the numbers of chunks whose documents pass a filter, in ascending order. */
  rangesOf(filter: DocumentIds): readonly DocumentRange[] {
    const listed = new Set('only' in filter ? filter.only : filter.except)
    return this.runs
      .filter(({ document }) => listed.has(document) === 'only' in filter)
      .map(({ first, chunks, document }) => ({ first, end: first + chunks, documentId: document }))
  }

  /** Returns the chunks with these numbers; a deleted chunk is absent. */
  chunksOf(numbers: readonly number[]): ReadonlyMap<number, IndexedChunk> {
    const found = new Map<number, IndexedChunk>()
    for (const number of numbers) {
      const run = this.runs[bisect(0, this.runs.length, (at) => (this.runs[at]?.first ?? 0) <= number) - 1]
      if (run === undefined || number >= run.first + run.chunks) continue
      found.set(number, { documentId: run.document, chunk: run.chunk + number - run.first })
    }
    return found
  }

  /** Returns the numbers of chunks, in the order of the chunks; `undefined` for a deleted chunk. */
  numbersOf(chunks: readonly IndexedChunk[]): readonly (number | undefined)[] {
    return chunks.map(({ documentId, chunk }) => {
      const runs = this.#ofDocument.get(documentId) ?? []
      const run = runs[bisect(0, runs.length, (at) => (runs[at]?.chunk ?? 0) <= chunk) - 1]
      return run === undefined || chunk >= run.chunk + run.chunks ? undefined : run.first + chunk - run.chunk
    })
  }
}

/**
 * Identifies the runs of a collection. Additions raise `next`. Deletions leave `next` as it is and lower `chunks`. A
 * new file has another id. So two equal marks mean the same runs.
 */
type RunMark = Pick<CollectionState, 'id' | 'next' | 'chunks'>

/** A collection that was searched. */
interface SearchedCollection {
  readonly mark: RunMark
  /** The runs, once a second search asks for them. */
  reading: Promise<KnownRuns | undefined> | undefined
  runs: KnownRuns | undefined
}

/**
 * Keeps the runs of small collections in memory. Otherwise each search reads them by two statements. A collection that
 * changes between any two searches is not kept.
 */
export class RunCache {
  readonly #collections = new LRUCache<string, SearchedCollection>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ runs }) => COLLECTION_BYTES + (runs?.count ?? 0) * RUN_BYTES,
  })

  /**
   * @param state the state of the collection that the caller has read
   * @returns the runs of this state or of a later one; `undefined` if they are not kept
   */
  async read(collection: string, reader: SqliteConnection, state: CollectionState): Promise<KnownRuns | undefined> {
    if (state.chunks > MAX_CHUNKS) return undefined
    const known = this.#collections.get(collection)
    if (known === undefined || !isSame(known.mark, state)) {
      this.#collections.set(collection, { mark: state, reading: undefined, runs: undefined })
      return undefined
    }
    if (known.runs !== undefined) return known.runs
    const reading = known.reading ?? this.#read(collection, reader, known)
    known.reading = reading
    try {
      return await reading
    } finally {
      if (known.reading === reading) known.reading = undefined
    }
  }

  /** True if no write of this index has changed the collection since these runs were read. */
  has(collection: string, runs: KnownRuns): boolean {
    return this.#collections.peek(collection)?.runs === runs
  }

  /** Forgets the runs of a collection that changes. */
  forget(collection: string): void {
    this.#collections.delete(collection)
  }

  clear(): void {
    this.#collections.clear()
  }

  async #read(
    collection: string,
    reader: SqliteConnection,
    searched: SearchedCollection,
  ): Promise<KnownRuns | undefined> {
    // The collection may have grown since the caller read its state.
    const runs = await readRuns(reader, MAX_CHUNKS + 1)
    if (runs.length > MAX_CHUNKS) return undefined
    const read = new KnownRuns(runs)
    const isPresent = this.#collections.peek(collection) === searched
    if (isPresent) this.#collections.set(collection, { mark: searched.mark, reading: undefined, runs: read })
    return read
  }
}

function isSame(one: RunMark, other: RunMark): boolean {
  return one.id === other.id && one.next === other.next && one.chunks === other.chunks
}

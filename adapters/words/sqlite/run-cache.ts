import { LRUCache } from 'lru-cache'
import type { DocumentFilter, IndexedChunk } from '../../../src/ports/index.js'
import type { DocumentRange } from '../posting-source.js'
import { bisect } from '../postings.js'
import type { CollectionState } from './chunk-runs.js'
import type { SqliteConnection } from './sqlite-connection.js'

/** Collections with more chunks are not kept: reading their runs would block the event loop for some milliseconds. */
const MAX_CHUNKS = 2_500
/** The size of all runs of one index in memory. */
const MAX_BYTES = 8 * 1_048_576
/** The memory of a collection beside its runs, and of one run. A collection has at most as many runs as chunks. */
const COLLECTION_BYTES = 512
const RUN_BYTES = 128

/** Chunks of one document with consecutive ordinals and numbers. */
interface Run {
  /** The number of the first chunk. */
  readonly first: number
  readonly document: number
  /** The ordinal of the first chunk. */
  readonly chunk: number
  /** The number of chunks. */
  readonly chunks: number
}

/**
 * Identifies the runs of a file. Additions raise `next`. Deletions leave `next` as it is and lower `chunks`. So two
 * equal marks mean the same runs.
 */
type RunMark = Pick<CollectionState, 'next' | 'chunks'>

/** The runs of a collection at one moment, in memory. */
export class KnownRuns {
  /** In ascending order of their numbers. */
  readonly #runs: readonly Run[]
  /** By document, in ascending order of their ordinals. */
  readonly #ofDocument = new Map<number, Run[]>()

  /** @param runs in ascending order of their numbers */
  constructor(runs: readonly Run[]) {
    this.#runs = runs
    for (const run of [...runs].sort((one, other) => one.chunk - other.chunk)) {
      const others = this.#ofDocument.get(run.document)
      if (others === undefined) this.#ofDocument.set(run.document, [run])
      else others.push(run)
    }
  }

  /** Returns the numbers of chunks whose documents pass a filter, in ascending order. */
  rangesOf(filter: DocumentFilter): readonly DocumentRange[] {
    const listed = new Set('only' in filter ? filter.only : filter.except)
    return this.#runs
      .filter(({ document }) => listed.has(document) === 'only' in filter)
      .map(({ first, chunks, document }) => ({ first, end: first + chunks, documentId: document }))
  }

  /** Returns the chunks with these numbers; a deleted chunk is absent. */
  chunksOf(numbers: readonly number[]): ReadonlyMap<number, IndexedChunk> {
    const found = new Map<number, IndexedChunk>()
    for (const number of numbers) {
      const run = this.#runs[bisect(0, this.#runs.length, (at) => (this.#runs[at]?.first ?? 0) <= number) - 1]
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

/** A collection that was searched. */
interface SearchedCollection {
  readonly mark: RunMark
  /** The runs, as soon as a second search needs them. */
  runs: Promise<KnownRuns> | undefined
}

/**
 * Keeps the runs of small collections in memory. Otherwise each search reads them by two statements. A collection that
 * changes between any two searches is not kept.
 */
export class RunCache {
  readonly #collections = new LRUCache<string, SearchedCollection>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ mark }) => COLLECTION_BYTES + mark.chunks * RUN_BYTES,
  })

  /**
   * @param state the state of the file that the caller has read
   * @returns the runs of this state or of a later one; `undefined` if they are not kept
   */
  async read(reader: SqliteConnection, { id, next, chunks }: CollectionState): Promise<KnownRuns | undefined> {
    if (chunks > MAX_CHUNKS) return undefined
    const known = this.#collections.get(id)
    if (known === undefined || known.mark.next !== next || known.mark.chunks !== chunks) {
      this.#collections.set(id, { mark: { next, chunks }, runs: undefined })
      return undefined
    }
    known.runs ??= readRuns(reader)
    try {
      return await known.runs
    } catch (error) {
      known.runs = undefined
      throw error
    }
  }

  clear(): void {
    this.#collections.clear()
  }
}

async function readRuns(reader: SqliteConnection): Promise<KnownRuns> {
  return new KnownRuns(await reader.all<Run>('select first, document, chunk, chunks from runs order by first'))
}

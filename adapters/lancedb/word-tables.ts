import type { Table } from '@lancedb/lancedb'
import type { LexicalRows } from '../../src/ports/index.js'
import { addChunkKey } from './add-chunk-key.js'
import { CHUNK_KEY } from './document-predicates.js'
import type { CollectionAddition } from './lance-collections.js'
import { loadArrowWords } from './load-arrow-rows.js'
import type { RecentWords } from './recent-words.js'
import { STATISTICS_SUFFIX } from './statistics-file.js'
import type { StatisticsKeeper } from './statistics-keeper.js'
import { TERMS_INDEX } from './table-facts.js'
import type { TableKind } from './table-kind.js'

/** Share of rows that the index may lack. They cost a search 2 ms for each thousand, where others write too 12 ms and more. */
const MAX_UNINDEXED_SHARE = 0.02
const MAX_UNINDEXED_ROWS = 1_000
const MOST_UNINDEXED_ROWS = 4_000
const MAX_UNINDEXED_ROWS_OF_OTHERS = 500
/** Bytes of UTF-8: a term has 256 UTF-16 units at most. */
const MAX_TERM_BYTES = 1_024
/** A compaction writes the whole index anew. */
const PAUSE_PER_WORK = 8

/** Tables of words. @param recent where this process alone writes to them */
export function wordTables(keeper: StatisticsKeeper, recent: RecentWords | undefined): TableKind {
  return {
    searchIndex: TERMS_INDEX,
    maxUnindexed: (rows) => {
      if (recent === undefined) return MAX_UNINDEXED_ROWS_OF_OTHERS
      return Math.min(Math.max(MAX_UNINDEXED_ROWS, rows * MAX_UNINDEXED_SHARE), MOST_UNINDEXED_ROWS)
    },
    pausePerWork: PAUSE_PER_WORK,
    lookUpColumns: ['document', CHUNK_KEY],
    mergesTinyFragments: false,
    filesBeside: [STATISTICS_SUFFIX],
    bytesPerRow: () => Promise.resolve(undefined),
    upgrade: addChunkKey,
    prepare: async (open) => {
      const { table } = open
      const isIndexed = (await table.listIndices()).some(({ name }) => name === TERMS_INDEX)
      if (!isIndexed) await indexTerms(table)
      await recent?.begin(open)
    },
    written: async (open, batches) => {
      await recent?.noteWritten(open, batches)
      await keeper.noteWritten(open, batches)
    },
    deleted: async (open, documentId, fromChunk) => await recent?.noteDeleted(open, documentId, fromChunk),
    compacting: async (open) => (await recent?.compacting(open)) ?? (() => undefined),
    tend: async (open) => await keeper.save(open),
  }
}

async function indexTerms(table: Table): Promise<void> {
  const { Index } = await import('@lancedb/lancedb')
  const config = Index.fts({
    baseTokenizer: 'whitespace',
    stem: false,
    removeStopWords: false,
    lowercase: false,
    asciiFolding: false,
    withPosition: false,
    maxTokenLength: MAX_TERM_BYTES,
  })
  await table.createIndex('terms', { config })
}

/** Rows of one document, to be added. */
export function wordAddition(rows: LexicalRows): CollectionAddition {
  return {
    rows: rows.chunks.length,
    bytes: bytesOf(rows),
    layout: 0,
    toBatch: async (columns) => await (await loadArrowWords()).toWordBatch(rows, columns),
    schema: async () => (await loadArrowWords()).schemaOfWords(),
  }
}

/** About: terms have few letters. */
function bytesOf({ terms }: LexicalRows): number {
  const BYTES_PER_TERM = 8
  return terms.reduce((sum, ofChunk) => sum + ofChunk.length * BYTES_PER_TERM, 0)
}

import type { LexicalRows } from '../../src/ports/index.js'
import type { CollectionAddition } from './lance-collections.js'
import { loadArrowWords } from './load-arrow-rows.js'
import { STATISTICS_SUFFIX } from './statistics-file.js'
import type { StatisticsKeeper } from './statistics-keeper.js'
import { TERMS_INDEX } from './table-facts.js'
import type { TableKind } from './table-kind.js'

/** Rows that the index lacks cost a search 12 ms for each thousand. */
const MAX_UNINDEXED_ROWS = 500
/** Bytes of UTF-8: a term has 256 UTF-16 units at most. */
const MAX_TERM_BYTES = 1_024
/** A compaction writes the whole index anew. */
const PAUSE_PER_WORK = 8

/** Tables of words. */
export function wordTables(keeper: StatisticsKeeper): TableKind {
  return {
    searchIndex: TERMS_INDEX,
    maxUnindexed: () => MAX_UNINDEXED_ROWS,
    pausePerWork: PAUSE_PER_WORK,
    lookUpColumns: ['document'],
    mergesTinyFragments: false,
    filesBeside: [STATISTICS_SUFFIX],
    bytesPerRow: () => Promise.resolve(undefined),
    prepare: async (table) => {
      if ((await table.listIndices()).some(({ name }) => name === TERMS_INDEX)) return
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
    },
    written: async (open, batches) => await keeper.noteWritten(open, batches),
    tend: async (open) => await keeper.save(open),
  }
}

/** Rows of one document, to be added. */
export function wordAddition(rows: LexicalRows): CollectionAddition {
  return {
    rows: rows.chunks.length,
    bytes: bytesOf(rows),
    layout: 0,
    toBatch: async () => await (await loadArrowWords()).toWordBatch(rows),
    schema: async () => (await loadArrowWords()).schemaOfWords(),
  }
}

/** About: terms have few letters. */
function bytesOf({ terms }: LexicalRows): number {
  const BYTES_PER_TERM = 8
  return terms.reduce((sum, ofChunk) => sum + ofChunk.length * BYTES_PER_TERM, 0)
}

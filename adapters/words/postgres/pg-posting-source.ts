import type { Knex } from 'knex'
import type { CollectionTotals, PostingSource, PostingsRead } from '../posting-source.js'
import { ascendingParts, POSTING_BYTES } from '../postings.js'
import { readChunks, readRanges } from './chunk-runs.js'
import type { WordTable } from './word-tables.js'

interface CountRow {
  readonly at: string
  readonly bytes: string
  readonly rows: string
}
interface PostingRow {
  readonly at: string
  readonly postings: Buffer
}

/** Receives the number of rows of postings of the term that has most of them. */
type RowsListener = (mostRows: number) => void

/** The postings in the tables of a collection. Only reading a row shows which chunks it has. */
export function pgPostingSource(
  knex: Knex,
  table: WordTable,
  totals: CollectionTotals,
  onRowsCounted: RowsListener,
): PostingSource {
  return {
    totals,
    count: async (terms) => {
      const counted = await knex.raw<{ readonly rows: readonly CountRow[] }>(
        `select at, sum(octet_length(postings)) as bytes, count(*) as rows
         from unnest(?::text[]) with ordinality as asked (word, at) join ?? on term = word group by at`,
        [terms as string[], table.postings],
      )
      onRowsCounted(counted.rows.reduce((most, { rows }) => Math.max(most, Number(rows)), 0))
      const counts = terms.map(() => 0)
      for (const { at, bytes } of counted.rows) counts[Number(at) - 1] = Number(bytes) / POSTING_BYTES
      return counts
    },
    read: async (terms) => {
      const read = await knex.raw<{ readonly rows: readonly PostingRow[] }>(
        `select at, postings from unnest(?::text[]) with ordinality as asked (word, at) join ?? on term = word`,
        [terms as string[], table.postings],
      )
      return read.rows.flatMap(({ at, postings }): PostingsRead[] => {
        return ascendingParts(postings).map((part) => ({ term: Number(at) - 1, postings: part }))
      })
    },
    rangesOf: (filter) => readRanges(knex, table, filter),
    chunksOf: (numbers) => readChunks(knex, table, numbers),
  }
}

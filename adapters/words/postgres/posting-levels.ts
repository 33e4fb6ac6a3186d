import { POSTING_BYTES } from '../postings.js'

/** The number of rows of one term and level that are merged. The merged row belongs to the next level. */
export const ROWS_PER_MERGE = 8
/**
 * Rows of this level (from 4,096 postings or 32 kB on) are not merged further: rewriting them would cost more than
 * reading.
 */
export const LAST_LEVEL = 4

/**
 * The level of postings: the integer part of the logarithm of their number to the base 8. Equal to {@link LEVEL_SQL}.
 */
export function levelOf(postings: Buffer): number {
  let level = 0
  for (let rest = postings.length / POSTING_BYTES; rest >= ROWS_PER_MERGE; rest /= ROWS_PER_MERGE) level += 1
  return level
}

/** The SQL expression for the level of the column `postings`. */
export const LEVEL_SQL: string = `((length(trim(leading '0' from (octet_length(postings) / ${POSTING_BYTES})::bit(32)::text)) - 1) / 3)::smallint`

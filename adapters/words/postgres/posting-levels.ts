import { POSTING_BYTES } from '../postings.js'

/** Rows of one term and level that are merged: their postings have a level above. */
export const ROWS_PER_MERGE = 8
/** Postings from this level on (4,096 of them, 32 kB) are not merged any more: rewriting them would cost more than reading. */
export const LAST_LEVEL = 4

/** Level of postings: the whole part of the logarithm of their number to the base 8, as {@link LEVEL_SQL} has it. */
export function levelOf(postings: Buffer): number {
  let level = 0
  for (let rest = postings.length / POSTING_BYTES; rest >= ROWS_PER_MERGE; rest /= ROWS_PER_MERGE) level += 1
  return level
}

/** An expression in SQL for the level of the column `postings`. */
export const LEVEL_SQL: string = `((length(trim(leading '0' from (octet_length(postings) / ${POSTING_BYTES})::bit(32)::text)) - 1) / 3)::smallint`

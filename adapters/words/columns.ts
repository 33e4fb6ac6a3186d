/** Memory for chunks with their scores. */
export interface Columns {
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly scores: Float64Array<ArrayBuffer>
}

const MIN_LENGTH = 16_384
/** The size of the memory, in chunks, that is kept for later searches: 12 MB. */
const MAX_FREE = 1_048_576
/** Reusing memory costs less than allocating and collecting it. */
const FREE_COLUMNS: Columns[] = []
let freeLength = 0

/** Returns columns for at least `length` chunks. Their content is undefined. */
export function acquireColumns(length: number): Columns {
  const at = FREE_COLUMNS.findIndex(({ numbers }) => numbers.length >= length)
  const [found] = at === -1 ? [] : FREE_COLUMNS.splice(at, 1)
  if (found !== undefined) {
    freeLength -= found.numbers.length
    return found
  }
  // The sizes are powers of two, so most columns fit the next search too.
  const size = 2 ** Math.ceil(Math.log2(Math.max(length, MIN_LENGTH)))
  return { numbers: new Uint32Array(size), scores: new Float64Array(size) }
}

/** Gives columns to the next search. No caller may use them afterwards. */
export function releaseColumns(columns: Columns): void {
  const { length } = columns.numbers
  if (freeLength + length > MAX_FREE) return
  freeLength += length
  FREE_COLUMNS.push(columns)
}

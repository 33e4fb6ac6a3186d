/** Memory for chunks with their scores. */
export interface Columns {
  readonly numbers: Uint32Array<ArrayBuffer>
  readonly scores: Float64Array<ArrayBuffer>
}

const LEAST_LENGTH = 16_384
/** Chunks for which there is memory that waits for the next search: 12 MB. */
const MOST_FREE = 1_048_576
/** To give it back costs less than to have it made, and collected. */
const FREE: Columns[] = []
let free = 0

/** Columns for so many chunks at the least. What is in them is not defined. */
export function takeColumns(length: number): Columns {
  const at = FREE.findIndex(({ numbers }) => numbers.length >= length)
  const [found] = at === -1 ? [] : FREE.splice(at, 1)
  if (found !== undefined) {
    free -= found.numbers.length
    return found
  }
  // Powers of two, so that most fit the next search too.
  const size = 2 ** Math.ceil(Math.log2(Math.max(length, LEAST_LENGTH)))
  return { numbers: new Uint32Array(size), scores: new Float64Array(size) }
}

/** Gives columns to the next search: nobody may use them any more. */
export function giveColumns(columns: Columns): void {
  const { length } = columns.numbers
  if (free + length > MOST_FREE) return
  free += length
  FREE.push(columns)
}

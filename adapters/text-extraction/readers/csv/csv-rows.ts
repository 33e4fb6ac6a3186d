import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'

/** Of the text, so much is parsed at once. */
const BLOCK_BYTES = 65_536
/** What is longer is no row of a table. */
const MAX_ROW_BYTES = 4 * 1024 * 1024
/** When quotes were left open so often, they are no quotes. */
const MAX_OPEN_QUOTES = 10
const LINE_ENDS = ['\r\n', '\n', '\r']

/** What stands in a table: the cells of a row, or text that is no row, as it stands. */
export type CsvPart = { readonly cells: readonly string[] } | { readonly text: string }

/**
 * Parses a table block by block. A quote that is never closed, and a row of more than
 * 4 MB, do not swallow what comes behind: the first line is given as it stands, and
 * the next one is parsed again.
 */
export class CsvRows {
  readonly #delimiter: string
  #pending: Buffer = Buffer.alloc(0)
  #arrived: Buffer[] = []
  #arrivedBytes = 0
  /** A row that is not complete is not parsed again before it has grown that long. */
  #nextAttemptBytes = BLOCK_BYTES
  #openQuotes = 0
  /** Within a line that is too long to be a row. */
  #isInLongLine = false
  /** Lines that were given as they stand. */
  rawLines = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  *push(text: string): Generator<CsvPart> {
    const bytes = Buffer.from(text)
    this.#arrived.push(bytes)
    this.#arrivedBytes += bytes.length
    if (this.#pending.length + this.#arrivedBytes >= this.#nextAttemptBytes) yield* this.#parts(false)
  }

  *end(): Generator<CsvPart> {
    yield* this.#parts(true)
  }

  *#parts(isEnd: boolean): Generator<CsvPart> {
    this.#pending = Buffer.concat([this.#pending, ...this.#arrived])
    this.#arrived = []
    this.#arrivedBytes = 0
    if (this.#isInLongLine) yield* this.#restOfLine()
    for (;;) {
      const { rows, bytes, isQuoteOpen } = this.#parse(isEnd)
      yield* rows
      this.#pending = this.#pending.subarray(bytes)
      const isTooLong = this.#pending.length > MAX_ROW_BYTES
      if (!isTooLong && !(isEnd && isQuoteOpen)) break
      if (isQuoteOpen) this.#openQuotes += 1
      this.rawLines += 1
      yield* this.#restOfLine()
    }
    this.#nextAttemptBytes = Math.max(BLOCK_BYTES, this.#pending.length * 2)
  }

  /** The complete rows that stand at the beginning, and how many bytes they are. */
  #parse(isEnd: boolean): { readonly rows: readonly CsvPart[]; readonly bytes: number; readonly isQuoteOpen: boolean } {
    const rows: { readonly cells: readonly string[]; readonly end: number }[] = []
    let isQuoteOpen = false
    try {
      parse(this.#pending, {
        delimiter: this.#delimiter,
        record_delimiter: LINE_ENDS,
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
        quote: this.#openQuotes < MAX_OPEN_QUOTES ? '"' : null,
        on_record: (cells: readonly string[], { bytes }) => {
          rows.push({ cells, end: bytes })
          return null
        },
      })
    } catch (error) {
      if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
      isQuoteOpen = true
    }
    // The last row may go on in the next block.
    if (!isEnd && !isQuoteOpen) rows.pop()
    return { rows, bytes: isEnd && !isQuoteOpen ? this.#pending.length : (rows.at(-1)?.end ?? 0), isQuoteOpen }
  }

  *#restOfLine(): Generator<CsvPart> {
    const ends = [this.#pending.indexOf(0x0a), this.#pending.indexOf(0x0d)].filter((at) => at >= 0)
    const end = ends.length === 0 ? this.#pending.length : Math.min(...ends) + 1
    this.#isInLongLine = ends.length === 0
    yield { text: this.#pending.toString('utf8', 0, end) }
    this.#pending = this.#pending.subarray(end)
  }
}

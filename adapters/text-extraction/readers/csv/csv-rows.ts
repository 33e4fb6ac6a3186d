import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'

/** The bytes that are parsed at once. */
const BLOCK_BYTES = 65_536
/** A longer text is not a row of a table. */
const MAX_ROW_BYTES = 4 * 1024 * 1024
/** After this many open quotes, the character does not count as a quote. */
const MAX_OPEN_QUOTES = 10
const LINE_ENDS = ['\r\n', '\n', '\r']

/** A part of a table: the cells of a row, or the unchanged text of a line that is not a row. */
export type CsvPart = { readonly cells: readonly string[] } | { readonly text: string }

/**
 * Parses a table block by block. An open quote, or a row of more than 4 MB, does not swallow the rest of the table: the
 * first line is yielded unchanged, and parsing continues with the next line.
 */
export class CsvRows {
  readonly #delimiter: string
  #pending: Buffer = Buffer.alloc(0)
  #received: Buffer[] = []
  #receivedBytes = 0
  /** An incomplete row is parsed a second time only when it has this length. */
  #nextAttemptBytes = BLOCK_BYTES
  #openQuotes = 0
  /** True inside a line that is too long to be a row. */
  #isInLongLine = false
  /** The number of lines that were yielded unchanged. */
  rawLines = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  *push(text: string): Generator<CsvPart> {
    const bytes = Buffer.from(text)
    this.#received.push(bytes)
    this.#receivedBytes += bytes.length
    if (this.#pending.length + this.#receivedBytes >= this.#nextAttemptBytes) yield* this.#parts(false)
  }

  *end(): Generator<CsvPart> {
    yield* this.#parts(true)
  }

  *#parts(isEnd: boolean): Generator<CsvPart> {
    this.#pending = Buffer.concat([this.#pending, ...this.#received])
    this.#received = []
    this.#receivedBytes = 0
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

  /** Parses the complete rows at the beginning, and counts their bytes. */
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
    // The last row may continue in the next block.
    if (!isEnd && !isQuoteOpen) rows.pop()
    return { rows, bytes: isEnd && !isQuoteOpen ? this.#pending.length : (rows.at(-1)?.end ?? 0), isQuoteOpen }
  }

  *#restOfLine(): Generator<CsvPart> {
    const ends = [this.#pending.indexOf(0x0a), this.#pending.indexOf(0x0d)].filter((index) => index >= 0)
    const end = ends.length === 0 ? this.#pending.length : Math.min(...ends) + 1
    this.#isInLongLine = ends.length === 0
    yield { text: this.#pending.toString('utf8', 0, end) }
    this.#pending = this.#pending.subarray(end)
  }
}

import { CsvError, parse } from 'csv-parse/sync'
import { type FileBytes, warning } from './reader.js'
import type { ReaderPiece, ReaderWarning } from './reader-piece.js'
import { isNumber, TableRows } from './table-rows.js'
import { DecodedText } from './text-reader.js'

/** A piece has rows with about this much text. */
const PIECE_CHARACTERS = 32_768
/** The length of the text from which the delimiter is guessed. */
const SAMPLE_CHARACTERS = 16_384

/**
 * Reads a table row by row. Every cell gets the header of its column, so that a chunk from the middle of a table is
 * understandable: `City: Oslo; Country: Norway`.
 */
export async function* readCsv(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const decoded = await DecodedText.of(file)
  const { delimiter, preambleLength } = guessDialect(await beginningOf(decoded))
  const rows = new CsvRows(delimiter)
  const table = new TableText()
  let skipped = 0
  for await (const text of decoded.pieces()) {
    const rest = text.slice(preambleLength - skipped)
    skipped += text.length - rest.length
    for (const part of rows.push(rest)) yield* table.add(part)
  }
  for (const part of rows.end()) yield* table.add(part)
  yield* table.end()
  yield* decoded.warning()
  const warnings = [...table.warnings(), ...rawLinesWarning(rows.rawLines)]
  if (warnings.length > 0) yield { text: '', warnings }
}

/** The rows at the beginning of a table that are looked at before the first is written. */
const MAX_HEAD_ROWS = 20
const MAX_HEAD_CHARACTERS = 65_536

/** Turns rows into pieces of text. */
class TableText {
  readonly #rows = new TableRows()
  /** The rows at the beginning, until it is certain which of them has the names of the columns. */
  #head: (readonly string[])[] | undefined = []
  #headCharacters = 0
  #text = ''

  warnings(): ReaderWarning[] {
    return this.#rows.warnings()
  }

  *add(part: CsvPart): Generator<ReaderPiece> {
    // A line that is not a row, such as a title with an open quote, may stand above the names.
    if ('text' in part && this.#head?.length !== 0) this.#writeHead()
    if ('text' in part) this.#text += part.text
    else if (this.#head === undefined) this.#text += asLine(this.#rows.line(part.cells))
    else {
      this.#head.push(part.cells)
      this.#headCharacters += part.cells.join('').length
      if (this.#head.length >= MAX_HEAD_ROWS || this.#headCharacters > MAX_HEAD_CHARACTERS) this.#writeHead()
    }
    if (this.#text.length >= PIECE_CHARACTERS) yield* this.#pieces()
  }

  *end(): Generator<ReaderPiece> {
    this.#writeHead()
    yield* this.#pieces()
  }

  *#pieces(): Generator<ReaderPiece> {
    if (this.#text !== '') yield { text: this.#text }
    this.#text = ''
  }

  #writeHead(): void {
    const head = this.#head ?? []
    this.#head = undefined
    const names = placeOfNames(head)
    for (const [at, cells] of head.entries()) {
      if (at === names) this.#rows.useAsHeader(cells)
      this.#text += asLine(at <= names ? this.#rows.plainLine(cells) : this.#rows.line(cells))
    }
  }
}

/** The row with the names of the columns. A title, and other short lines above the table, are passed over. */
function placeOfNames(head: readonly (readonly string[])[]): number {
  const filled = head.map((cells) => cells.filter((cell) => cell.trim() !== ''))
  const usual = mostFrequent(filled.map(({ length }) => length).filter((length) => length > 1))
  const first = filled.findIndex(({ length }) => length > 1 && length * 2 >= usual)
  const names = filled[first] ?? []
  // Names are no numbers, and few of them are the same. Another row is one of a table without names.
  const areNames = !names.some((name) => isNumber(name)) && new Set(names).size * 5 >= names.length * 4
  return first > 0 && first + 1 < head.length && areNames ? first : 0
}

function asLine(text: string): string {
  return text === '' ? '' : `${text}\n`
}

function rawLinesWarning(count: number): ReaderWarning[] {
  if (count === 0) return []
  const lines = count === 1 ? '1 line is not a row' : `${count} lines are not rows`
  const message = `${lines} of the table (an open quote, or too long): their text is kept unchanged`
  return [warning(message, 'lines-not-rows', { count })]
}

async function beginningOf(decoded: DecodedText): Promise<string> {
  let sample = ''
  for await (const text of decoded.pieces()) {
    sample += text
    if (sample.length >= SAMPLE_CHARACTERS) break
  }
  return sample.slice(0, SAMPLE_CHARACTERS)
}

/** The notation of a table. */
interface CsvDialect {
  readonly delimiter: string
  /** The length of a first line that only declares the delimiter. */
  readonly preambleLength: number
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const MAX_LINES = 50

/** Guesses the dialect from the beginning of a table. Spreadsheet programs may write `sep=;` into the first line. */
export function guessDialect(sample: string): CsvDialect {
  const declared = /^"?sep=(.)"?(?:\r\n|\r|\n)/i.exec(sample)
  if (declared?.[1] !== undefined) return { delimiter: declared[1], preambleLength: declared[0].length }
  return { delimiter: guessDelimiter(sample), preambleLength: 0 }
}

/** The delimiter whose number, outside quotes, is the same in the most of the first lines. */
function guessDelimiter(sample: string): string {
  const lines = sample
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
  const score = (delimiter: string): number => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const usualCount = mostFrequent(counts.filter((count) => count > 0))
    const usualLines = counts.filter((count) => count === usualCount).length
    return usualCount === 0 ? 0 : (usualLines / lines.length) * (1 + Math.min(usualCount, 20) / 100)
  }
  return [...DELIMITERS].sort((first, second) => score(second) - score(first))[0] ?? ','
}

function mostFrequent(counts: readonly number[]): number {
  const times = new Map<number, number>()
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1)
  return [...times].sort(([, first], [, second]) => second - first)[0]?.[0] ?? 0
}

/** The bytes that are parsed at once. */
const BLOCK_BYTES = 65_536
/** A longer text is not a row of a table. */
const MAX_ROW_BYTES = 4 * 1024 * 1024
/** After this many open quotes, the character does not count as a quote. */
const MAX_OPEN_QUOTES = 10
const LINE_ENDS = ['\r\n', '\n', '\r']

/** A part of a table: the cells of a row, or the unchanged text of a line that is not a row. */
type CsvPart = { readonly cells: readonly string[] } | { readonly text: string }

/**
 * Parses a table block by block. An open quote, or a row of more than 4 MB, does not swallow the rest of the table: the
 * first line is yielded unchanged, and parsing continues with the next line.
 */
export class CsvRows {
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

  constructor(private readonly delimiter: string) {}

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
    // Behind an open quote there may be megabytes. They are parsed in parts: few rows are in memory at a time.
    let length = this.#nextAttemptBytes
    for (;;) {
      const isWhole = length >= this.#pending.length
      const { rows, bytes, isQuoteOpen } = this.#parse(this.#pending.subarray(0, length), isEnd && isWhole)
      yield* rows
      this.#pending = this.#pending.subarray(bytes)
      const isTooLong = bytes === 0 && length > MAX_ROW_BYTES
      if (isTooLong || (isEnd && isWhole && isQuoteOpen)) {
        if (isQuoteOpen) this.#openQuotes += 1
        this.rawLines += 1
        yield* this.#restOfLine()
        length = BLOCK_BYTES
      } else if (isWhole) break
      else length = bytes === 0 ? Math.min(length * 2, MAX_ROW_BYTES + 1) : BLOCK_BYTES
    }
    this.#nextAttemptBytes = Math.max(BLOCK_BYTES, this.#pending.length * 2)
  }

  /** Parses the complete rows at the beginning, and counts their bytes. */
  #parse(
    block: Buffer,
    isEnd: boolean,
  ): { readonly rows: readonly CsvPart[]; readonly bytes: number; readonly isQuoteOpen: boolean } {
    const rows: { readonly cells: readonly string[]; readonly end: number }[] = []
    let isQuoteOpen = false
    try {
      parse(block, {
        delimiter: this.delimiter,
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
    return { rows, bytes: isEnd && !isQuoteOpen ? block.length : (rows.at(-1)?.end ?? 0), isQuoteOpen }
  }

  *#restOfLine(): Generator<CsvPart> {
    const ends = [this.#pending.indexOf(0x0a), this.#pending.indexOf(0x0d)].filter((index) => index >= 0)
    const end = ends.length === 0 ? this.#pending.length : Math.min(...ends) + 1
    this.#isInLongLine = ends.length === 0
    yield { text: this.#pending.toString('utf8', 0, end) }
    this.#pending = this.#pending.subarray(end)
  }
}

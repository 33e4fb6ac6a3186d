import type { ExtractedPiece } from '../../../../src/ports/index.js'
import { DecodedText } from '../decoded-text.js'
import type { FileBytes } from '../reader.js'
import { rowText } from '../table-rows.js'
import { guessDialect } from './csv-dialect.js'
import { CsvHeader } from './csv-header.js'
import { type CsvPart, CsvRows } from './csv-rows.js'

/** A piece has rows with about this much text. */
const PIECE_CHARACTERS = 32_768
/** Names of columns may be longer than the cells, but only up to this factor. */
const NAME_CHARACTERS_PER_CHARACTER = 12
const FREE_NAME_CHARACTERS = 1_048_576
/** The length of the text from which the delimiter is guessed. */
const SAMPLE_CHARACTERS = 16_384

/**
 * Reads a table row by row. Every cell gets the header of its column, so that a chunk from the middle of a table is
 * understandable: `City: Oslo; Country: Norway`.
 */
export async function* readCsv(file: FileBytes): AsyncGenerator<ExtractedPiece> {
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

/** Turns rows into pieces of text. */
class TableText {
  #header: CsvHeader | undefined
  #isFirst = true
  #text = ''
  /** The characters that the names of the columns may still add. */
  #budget = FREE_NAME_CHARACTERS
  #isNameless = false

  warnings(): string[] {
    return this.#isNameless ? ['the column names are too long to repeat them in every row'] : []
  }

  *add(part: CsvPart): Generator<ExtractedPiece> {
    if ('text' in part) this.#text += part.text
    else this.#text += line(this.#isFirst ? this.#headerText(part.cells) : this.#rowText(part.cells))
    if (this.#text.length >= PIECE_CHARACTERS) yield* this.end()
  }

  *end(): Generator<ExtractedPiece> {
    if (this.#text !== '') yield { text: this.#text }
    this.#text = ''
  }

  #headerText(cells: readonly string[]): string {
    this.#isFirst = false
    this.#header = CsvHeader.of(cells)
    return rowText(cells, undefined)
  }

  #rowText(cells: readonly string[]): string {
    const plain = rowText(cells, undefined)
    if (this.#header === undefined) return plain
    const named = this.#header.isTooLong ? undefined : this.#header.textOf(cells)
    this.#budget += plain.length * NAME_CHARACTERS_PER_CHARACTER
    if (named !== undefined && named.length - plain.length <= this.#budget) {
      this.#budget -= named.length - plain.length
      return named
    }
    this.#isNameless = true
    return plain
  }
}

function line(text: string): string {
  return text === '' ? '' : `${text}\n`
}

function rawLinesWarning(count: number): string[] {
  if (count === 0) return []
  const lines = count === 1 ? '1 line is not a row' : `${count} lines are not rows`
  return [`${lines} of the table (an open quote, or too long): their text is kept unchanged`]
}

async function beginningOf(decoded: DecodedText): Promise<string> {
  let sample = ''
  for await (const text of decoded.pieces()) {
    sample += text
    if (sample.length >= SAMPLE_CHARACTERS) break
  }
  return sample.slice(0, SAMPLE_CHARACTERS)
}

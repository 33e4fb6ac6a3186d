import { Readable } from 'node:stream'
import { type Options, parse } from 'csv-parse'
import type { ExtractedPiece } from '../../../src/ports/index.js'
import type { FileBytes } from './reader.js'
import { decodedText, Replacements } from './text-reader.js'

/** Rows of about this much text make a piece. */
const PIECE_CHARACTERS = 32_768
/** A row with more characters is no row of a table. */
const MAX_ROW_CHARACTERS = 8 * 1024 * 1024
/** Text from which the delimiter is guessed. */
const SAMPLE_CHARACTERS = 16_384
const DELIMITERS = [',', ';', '\t', '|'] as const

/**
 * Reads a table row by row. Every cell keeps the header of its column, so that
 * a chunk from the middle of a table can be understood: `City: Oslo; Country: Norway`.
 */
export async function* readCsv(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const sample = await firstText(file)
  const replacements = new Replacements()
  const parser = Readable.from(replacements.counted(file)).pipe(parse(parserOptions(sample)))
  let header: readonly string[] | undefined
  let isFirst = true
  let text = ''
  for await (const row of parser as AsyncIterable<readonly string[]>) {
    if (isFirst) {
      isFirst = false
      header = looksLikeHeader(row) ? row : undefined
      text += `${row.join('; ')}\n`
    } else {
      text += `${rowText(row, header)}\n`
    }
    if (text.length < PIECE_CHARACTERS) continue
    yield { text }
    text = ''
  }
  if (text !== '') yield { text }
  yield* replacements.warning()
}

function rowText(row: readonly string[], header: readonly string[] | undefined): string {
  const cells = row.map((cell, column) => {
    const name = header?.[column]?.trim() ?? ''
    return name === '' || cell.trim() === '' ? cell : `${name}: ${cell}`
  })
  return cells.filter((cell) => cell.trim() !== '').join('; ')
}

/** Headers are words, and no two the same. */
function looksLikeHeader(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (names.length === 0 || names.length * 2 < row.length || new Set(names).size < names.length) return false
  return names.every((name) => name.length <= 100 && !/^[\d.,:/%$€£+-]+$/.test(name))
}

function parserOptions(sample: string): Options {
  return {
    delimiter: guessDelimiter(sample),
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_CHARACTERS,
  }
}

async function firstText(file: FileBytes): Promise<string> {
  let sample = ''
  for await (const text of decodedText(file)) {
    sample += text
    if (sample.length >= SAMPLE_CHARACTERS) break
  }
  return sample.slice(0, SAMPLE_CHARACTERS)
}

/** The delimiter that stands in the first lines most evenly, outside quotes. */
function guessDelimiter(sample: string): string {
  const lines = sample
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, 20)
  const score = (delimiter: string): number => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const least = Math.min(...counts)
    const total = counts.reduce((sum, count) => sum + count, 0)
    return least * 1_000 + total / Math.max(1, lines.length)
  }
  return [...DELIMITERS].sort((one, other) => score(other) - score(one))[0] ?? ','
}

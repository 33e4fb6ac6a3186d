import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { CsvError, Info } from 'csv-parse'
import { InvalidInputError } from '../../../src/index.js'
import { codeOf } from '../../node-kit/index.js'
import type { EvaluationQuestion } from './evaluation.js'

/** More is not a list of questions that somebody wrote, but another file. */
const MAX_BYTES = 32 * 1024 * 1024
export const MAX_QUESTIONS = 10_000
const COLUMNS = ['question', 'document', 'passage'] as const
const REQUIRED = ['question', 'document'] as const
const NOT_UTF8 = 'must be text in UTF-8: save it with that encoding (in a spreadsheet: "CSV UTF-8")'

type Column = (typeof COLUMNS)[number]

/** A row of the file. */
interface Row {
  readonly cells: readonly string[]
  /** The line on which it begins. */
  readonly line: number
}

/**
 * Reads questions from a csv file: UTF-8, with or without a byte order mark, with `,`, `;` or tabs between values. The
 * first row names the columns: `question`, `document`, and optionally `passage`.
 *
 * @returns the questions in their order; each has at least a question and a document
 * @throws InvalidInputError that names the line and the column of the first row that is not valid
 */
export async function readQuestions(file: string): Promise<EvaluationQuestion[]> {
  await requireFile(file)
  const questions: EvaluationQuestion[] = []
  let columns: readonly Column[] | undefined
  for await (const row of rowsOf(file)) {
    if (columns === undefined) columns = columnsOf(row)
    else questions.push(questionOf(row, columns))
    if (questions.length > MAX_QUESTIONS)
      throw invalid(row.line, `more than ${MAX_QUESTIONS} questions: split the file`)
  }
  if (questions.length > 0) return questions
  throw new InvalidInputError('questions', `${file} has no questions: write a row for each below the names of columns`)
}

async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw new InvalidInputError('questions', `${file} cannot be read (${codeOf(error) ?? 'unknown'})`, { cause: error })
  })
  if (!found.isFile()) throw new InvalidInputError('questions', `${file} is not a file`)
  if (found.size > MAX_BYTES) throw new InvalidInputError('questions', `${file} has more than ${MAX_BYTES} bytes`)
}

async function* rowsOf(file: string): AsyncGenerator<Row> {
  // A host that only searches loads no reader of tables.
  const { CsvError: ParserError, parse } = await import('csv-parse')
  const text = withPlainLineEnds(decode(file))
  const first = await text.next()
  const beginning = first.done === true ? '' : first.value
  async function* whole(): AsyncGenerator<string> {
    yield beginning
    yield* text
  }
  const parser = parse({
    delimiter: delimiterOf(beginning),
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  })
  const source = Readable.from(whole())
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  let lastLine = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      // A value may have several lines.
      const lineEnds = record.join('').split('\n').length - 1
      lastLine = info.lines
      yield { cells: record.map((cell) => cell.trim()), line: lastLine - lineEnds }
    }
  } catch (error) {
    throw error instanceof ParserError ? notCsv(error, lastLine) : error
  } finally {
    source.destroy()
  }
}

/** @throws InvalidInputError for bytes that are not UTF-8 */
async function* decode(file: string): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(file)) yield decoder.decode(bytes as Uint8Array, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (codeOf(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw new InvalidInputError('questions', `${file} ${NOT_UTF8}`, { cause: error })
  }
}

/** The parser counts a line end of two characters inside quotes as two lines. */
async function* withPlainLineEnds(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let isAfterReturn = false
  for await (const piece of pieces) {
    const rest = isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    if (piece !== '') isAfterReturn = piece.endsWith('\r')
    yield rest.replaceAll(/\r\n?/g, '\n')
  }
}

/** The names of columns contain no delimiter, so the first one in the first line is the delimiter. */
function delimiterOf(beginning: string): string {
  return /[,;\t]/.exec(beginning.split(/[\r\n]/, 1)[0] ?? '')?.[0] ?? ','
}

function notCsv({ code, lines }: CsvError & { readonly lines?: number }, lastLine: number): InvalidInputError {
  const [place, what] =
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? [`after line ${lastLine}`, 'a quote is not closed']
      : [`line ${lines ?? lastLine + 1}`, 'a quote stands inside a value']
  return new InvalidInputError(
    place,
    `${what}: put a value with quotes into quotes, and write each of its own quotes twice`,
  )
}

function columnsOf({ cells, line }: Row): readonly Column[] {
  const names = cells.map((cell) => cell.toLowerCase())
  const list = COLUMNS.join(', ')
  const unknown = names.find((name) => !COLUMNS.some((column) => column === name))
  if (unknown !== undefined)
    throw invalid(line, `unknown column "${unknown}": the first row must name the columns ${list}; remove others`)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw invalid(line, `the column ${repeated} is there twice: remove one of them`)
  const missing = REQUIRED.find((name) => !names.includes(name))
  if (missing !== undefined) throw invalid(line, `the column ${missing} is missing: the first row must name it`)
  return names as Column[]
}

function questionOf({ cells, line }: Row, columns: readonly Column[]): EvaluationQuestion {
  if (cells.length !== columns.length) {
    const counts = `has ${cells.length} values, and the first row ${columns.length}`
    throw invalid(line, `${counts}: put a value that contains the delimiter into quotes`)
  }
  const valueOf = (column: Column): string => cells[columns.indexOf(column)] ?? ''
  for (const column of REQUIRED) if (valueOf(column) === '') throw invalid(line, 'is empty: write a value', column)
  const passage = valueOf('passage')
  return {
    question: valueOf('question'),
    document: valueOf('document'),
    ...(passage !== '' && { passage }),
    line,
  }
}

function invalid(line: number, problem: string, column?: Column): InvalidInputError {
  return new InvalidInputError(column === undefined ? `line ${line}` : `line ${line}, column ${column}`, problem)
}

import { ExtractionError } from '../../../../src/ports/index.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, warning } from '../reader.js'
import type { ReaderPiece } from '../reader-piece.js'
import { DecodedText } from '../text-reader.js'
import { JsonError, JsonText } from './json-text.js'

/** A longer line is no record. */
const MAX_LINE_CHARACTERS = 32 * 1_048_576
/** The library is fed with parts of this length, so that pieces leave in time. */
const PART_CHARACTERS = 65_536

/**
 * Reads JSON as lines with the names that lead to each value. Each item of the outermost list is a paragraph. Several
 * values one behind the other are read too.
 */
export async function* readJson(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const decoded = await DecodedText.of(file)
  const out = new MarkedLines()
  const json = new JsonText(out)
  try {
    for await (const text of decoded.pieces()) {
      for (let start = 0; start < text.length; start += PART_CHARACTERS) {
        json.write(text.slice(start, start + PART_CHARACTERS))
        yield* out.longPieces()
      }
    }
    json.end()
  } catch (error) {
    throw error instanceof JsonError ? invalid(json.path, error) : error
  }
  yield* out.pieces()
  yield* decoded.warning()
}

function invalid(path: string, { message }: JsonError): ExtractionError {
  const place = path === '' ? '' : ` at ${path.slice(0, 200)}`
  return new ExtractionError(
    'ERR_CORRUPT_FILE',
    `The file is not valid JSON${place} (${message}): correct it, or rename it to .txt`,
  )
}

/** Reads JSON Lines: each line is a record, and a paragraph. A line that is not JSON is kept unchanged, with a warning. */
export async function* readJsonLines(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const decoded = await DecodedText.of(file)
  const out = new MarkedLines()
  const records = new JsonRecords(out)
  let rest = ''
  for await (const text of decoded.pieces()) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new ExtractionError('ERR_EXTRACTION_LIMIT', 'The file has a line of more than 32 MB: split it')
    }
    for (const line of lines) {
      records.add(line)
      yield* out.longPieces()
    }
  }
  records.add(rest)
  yield* out.pieces()
  yield* decoded.warning()
  if (records.invalid === 0) return
  if (records.valid === 0) {
    throw new ExtractionError('ERR_CORRUPT_FILE', 'No line of the file is valid JSON: rename it to .json or .txt')
  }
  const count = records.invalid
  const message = `${count === 1 ? '1 line is' : `${count} lines are`} not valid JSON: their text is kept unchanged`
  yield { text: '', warnings: [warning(message, 'lines-not-json', { count })] }
}

/** Turns lines into paragraphs. */
class JsonRecords {
  valid = 0
  invalid = 0
  /** The lines of the current record; `undefined` is a gap. */
  #record: (string | undefined)[] = []
  #json = this.#newJson()

  constructor(private readonly out: MarkedLines) {}

  add(line: string): void {
    if (line.trim() === '') return
    this.#record = []
    const isValid = this.#parse(line)
    if (isValid) this.valid += 1
    else {
      this.invalid += 1
      this.#record = [line]
    }
    this.out.leaveGap()
    for (const text of this.#record) {
      if (text === undefined) this.out.leaveGap()
      else this.out.add(text)
    }
  }

  #parse(line: string): boolean {
    try {
      // The line break ends a number.
      this.#json.write(`${line}\n`)
      if (this.#json.isComplete) return true
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
    }
    this.#json = this.#newJson()
    return false
  }

  #newJson(): JsonText {
    return new JsonText({
      add: (text) => {
        this.#record.push(text)
      },
      leaveGap: () => {
        this.#record.push(undefined)
      },
    })
  }
}

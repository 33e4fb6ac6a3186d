import { Tokenizer, TokenType } from '@streamparser/json'
import { ExtractionError } from '../../../../src/ports/index.js'
import { JsonNumbers } from './json-numbers.js'

/** Deeper data is no text for readers. */
const MAX_DEPTH = 1_000
/** The beginning of a longer path is left out. */
const MAX_PATH_CHARACTERS = 400
const KEPT_PATH_CHARACTERS = 200
/** Short items of a list share a line of about this length. */
const MAX_LINE_CHARACTERS = 4_096
const SHORT_CHARACTERS = 200
const BUFFER_BYTES = 65_536

/** The data is not valid JSON. */
export class JsonError extends Error {}

/** Receives the lines of the data. */
export interface JsonOut {
  add(line: string): void
  leaveGap(): void
}

interface Frame {
  readonly isArray: boolean
  /** The names that lead to the object or list. */
  readonly path: string
  /** The name of the current member. */
  key: string
  /** The number of items so far. */
  items: number
  /** Short items that are not written yet. */
  readonly pending: string[]
  pendingCharacters: number
}

type Expected = 'value' | 'value or ]' | 'name or }' | 'name' | ':' | ', or end'

/** A tokenizer that keeps numbers as they are written: a long identifier would lose its last digits. */
class JsonTokenizer extends Tokenizer {
  number = ''

  override parseNumber(text: string): number {
    this.number = text
    return 0
  }
}

/**
 * Turns JSON into lines such as `address.city: Oslo` while it is read. Short items of a list share a line. Objects of a
 * list have an empty line between them. Members without a value are left out, and those that are `NaN`.
 *
 * The library cuts the text into tokens, and this class checks their order. So nothing is kept but the open names.
 */
export class JsonText {
  readonly #tokenizer = new JsonTokenizer({ stringBufferSize: BUFFER_BYTES })
  readonly #numbers = new JsonNumbers()
  readonly #frames: Frame[] = []
  #expected: Expected = 'value'

  constructor(private readonly out: JsonOut) {
    this.#tokenizer.onToken = ({ token, value }) => {
      this.#add(token, value)
    }
  }

  /** True between two values. */
  get isComplete(): boolean {
    return this.#frames.length === 0
  }

  /** The names that lead to the last value. */
  get path(): string {
    const frame = this.#frames.at(-1)
    return frame === undefined ? '' : pathTo(frame)
  }

  /** @throws JsonError; ExtractionError `ERR_EXTRACTION_LIMIT` for data that is nested too deeply */
  write(text: string): void {
    this.#guard(() => {
      this.#tokenizer.write(this.#numbers.write(text))
    })
  }

  /** @throws JsonError if the data is incomplete */
  end(): void {
    this.#guard(() => {
      this.#tokenizer.write(this.#numbers.end())
      this.#tokenizer.end()
    })
    if (!this.isComplete) throw new JsonError('the end is missing')
  }

  #guard(action: () => void): void {
    try {
      action()
    } catch (error) {
      if (error instanceof JsonError || error instanceof ExtractionError) throw error
      throw new JsonError('unexpected character', { cause: error })
    }
  }

  #add(token: TokenType, value: unknown): void {
    if (token === TokenType.COMMA) this.#comma()
    else if (token === TokenType.COLON) this.#expect(':', 'value')
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#close(token)
    else if (this.#expected === 'name' || this.#expected === 'name or }') this.#name(token, value)
    else this.#value(token, value)
  }

  #expect(expected: Expected, next: Expected): void {
    if (this.#expected !== expected) throw new JsonError(`expected ${this.#expected}`)
    this.#expected = next
  }

  #comma(): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) throw new JsonError('expected a value')
    this.#expect(', or end', frame.isArray ? 'value' : 'name')
  }

  #name(token: TokenType, value: unknown): void {
    const frame = this.#frames.at(-1)
    if (token !== TokenType.STRING || frame === undefined) throw new JsonError(`expected ${this.#expected}`)
    frame.key = String(value).replaceAll(/\s+/g, ' ').trim()
    this.#expected = ':'
  }

  #value(token: TokenType, value: unknown): void {
    if (this.#expected !== 'value' && this.#expected !== 'value or ]') throw new JsonError(`expected ${this.#expected}`)
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      this.#open(token === TokenType.LEFT_BRACKET)
      return
    }
    if (token === TokenType.STRING) this.#write(String(value))
    else if (token === TokenType.NUMBER) this.#write(this.#tokenizer.number)
    else if (token !== TokenType.NULL) this.#write(String(value))
    this.#endValue()
  }

  #open(isArray: boolean): void {
    if (this.#frames.length >= MAX_DEPTH) {
      throw new ExtractionError(
        'ERR_EXTRACTION_LIMIT',
        `The data is nested deeper than ${MAX_DEPTH} levels: flatten it`,
      )
    }
    const outer = this.#frames.at(-1)
    if (outer?.isArray === true) {
      this.#flush(outer)
      this.out.leaveGap()
    }
    const path = outer === undefined ? '' : pathTo(outer)
    this.#frames.push({ isArray, path, key: '', items: 0, pending: [], pendingCharacters: 0 })
    this.#expected = isArray ? 'value or ]' : 'name or }'
  }

  #close(token: TokenType): void {
    const frame = this.#frames.at(-1)
    const isArray = token === TokenType.RIGHT_BRACKET
    const isEmpty = this.#expected === (isArray ? 'value or ]' : 'name or }')
    if (frame?.isArray !== isArray || !(isEmpty || this.#expected === ', or end')) {
      throw new JsonError(`expected ${this.#expected}`)
    }
    this.#flush(frame)
    this.#frames.pop()
    if (this.#frames.length === 0 || this.#frames.at(-1)?.isArray === true) this.out.leaveGap()
    this.#endValue()
  }

  #endValue(): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.items += 1
    // Some files have several values, one behind the other.
    this.#expected = frame === undefined ? 'value' : ', or end'
  }

  #write(text: string): void {
    const frame = this.#frames.at(-1)
    if (text.trim() === '') return
    const isItem = frame?.isArray === true && this.#frames.length > 1
    if (!isItem || text.length > SHORT_CHARACTERS || text.includes('\n')) {
      if (isItem) this.#flush(frame)
      const path = frame === undefined || (frame.isArray && this.#frames.length === 1) ? '' : nameOf(frame)
      this.out.add(path === '' ? text : `${path}: ${text}`)
      return
    }
    frame.pending.push(text)
    frame.pendingCharacters += text.length + 2
    if (frame.pendingCharacters > MAX_LINE_CHARACTERS) this.#flush(frame)
  }

  /** Writes the short items of a list. */
  #flush(frame: Frame): void {
    if (frame.pending.length === 0) return
    this.out.add(frame.path === '' ? frame.pending.join('; ') : `${frame.path}: ${frame.pending.join('; ')}`)
    frame.pending.length = 0
    frame.pendingCharacters = 0
  }
}

/** The path of a scalar: items of a list have that of the list. */
function nameOf(frame: Frame): string {
  return frame.isArray ? frame.path : pathTo(frame)
}

/** The path of the current member or item, such as `items[2].name`. The items of the outermost list have none. */
function pathTo(frame: Frame): string {
  const path = frame.isArray ? joined(frame) : [frame.path, frame.key].filter((name) => name !== '').join('.')
  return path.length <= MAX_PATH_CHARACTERS ? path : `…${path.slice(-KEPT_PATH_CHARACTERS)}`
}

function joined({ path, items }: Frame): string {
  return path === '' ? '' : `${path}[${items}]`
}

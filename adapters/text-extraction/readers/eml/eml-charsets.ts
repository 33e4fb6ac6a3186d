import { isAscii, isUtf8 } from 'node:buffer'
import { type Charset, detectCharset } from '../../charsets/charset.js'
import { decodeWhole } from '../../charsets/charset-decoder.js'
import { declaredCharset } from '../html/html-reader.js'
import { inMemory } from '../reader.js'

/** Charsets of parts that often are another one; '' stands for none. */
const DOUBTFUL = /^(?:|utf-?8|(?:us-)?ascii|x-?unknown|unknown|default|(?:unknown-|x-)?8-?bit)$/i
/** The encoding of most parts of a mail is that of the others: more guesses would only take time. */
const MAX_GUESSES = 16
/** The bytes of a body that the guess for a header sees too. */
const SAMPLE_BYTES = 16_384
const MAX_BOUNDARY_BYTES = 1_000
const LINE_FEED = 0x0a
const HYPHEN = 0x2d
const FALLBACK = 'windows-1252'

/** A mail in which each text is UTF-8 or has its charset. */
export interface DecodableMail {
  readonly bytes: Buffer
  /** The guessed encodings that are not certain. */
  readonly unsure: ReadonlySet<string>
}

/**
 * Rewrites the headers in raw bytes, and the texts without a charset, that are not UTF-8: their encoding is detected as
 * that of a text file. Other parts stay as they are.
 */
export async function withCharsets(mail: Buffer): Promise<DecodableMail> {
  const rewriter = new Rewriter(mail)
  const parts = await rewriter.run()
  return { bytes: rewriter.hasChanged ? Buffer.concat(parts) : mail, unsure: rewriter.unsure }
}

/** The headers of a mail or of a part, each with its continuation lines. */
interface HeaderBlock {
  readonly headers: Buffer[]
  /** The index of the body. */
  readonly end: number
}

/** The place of a line that separates parts. `isLast`: no headers follow it. */
interface Separator {
  readonly start: number
  readonly end: number
  readonly isLast: boolean
}

class Rewriter {
  readonly unsure = new Set<string>()
  hasChanged = false
  readonly #boundaries = new Set<string>()
  #guesses = 0
  #lastGuess = FALLBACK

  constructor(private readonly mail: Buffer) {}

  async run(): Promise<Buffer[]> {
    const { mail } = this
    const written: Buffer[] = []
    let at = 0
    let hasHeaders = true
    while (at < mail.length) {
      const { headers, end } = hasHeaders ? headersAt(mail, at) : { headers: [], end: at }
      const type = valueOf(headers, 'content-type')
      const boundary = /boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(type)
      if (boundary !== null) this.#boundaries.add(boundary[1] ?? boundary[2] ?? '')
      const isMail = /^\s*message\/(?:rfc822|global)/i.test(type) && encodingOf(headers) === ''
      const stop: Separator = isMail ? { start: end, end, isLast: false } : this.#boundaryAfter(end)
      const body = mail.subarray(end, stop.start)
      if (hasHeaders) written.push(...(await this.#part(headers, body, end - at)))
      else written.push(body)
      written.push(mail.subarray(stop.start, stop.end))
      hasHeaders = !stop.isLast
      at = stop.end
    }
    return written
  }

  async #part(headers: readonly Buffer[], body: Buffer, headerBytes: number): Promise<Buffer[]> {
    const type = valueOf(headers, 'content-type')
    const charset = charsetOf(type)
    const isText = /^\s*(?:text\/|$)/i.test(type) && headerBytes > 0 && !isUnread(headers, type)
    const decoded = isText && DOUBTFUL.test(charset) ? decodedBody(body, encodingOf(headers)) : undefined
    const raw = headers.filter((header) => !isUtf8(header))
    const mended: Buffer[] = []
    if (raw.length > 0) {
      this.hasChanged = true
      const sample = Buffer.concat([...raw, (decoded ?? body).subarray(0, SAMPLE_BYTES)])
      const name = await this.#nameOf(sample, () => (DOUBTFUL.test(charset) ? declaredIn(this.mail) : charset))
      for (const header of headers) mended.push(isUtf8(header) ? header : Buffer.from(decodeWhole(name, header)))
    } else mended.push(...headers)
    const isRight = decoded === undefined || isAscii(decoded) || (isUtf8(decoded) && /^(?:utf-?8)?$/i.test(charset))
    if (isRight) return [...mended, blankLine(headerBytes), body]
    this.hasChanged = true
    const text = isUtf8(decoded) ? decoded : await this.#decode(decoded, type)
    const others = mended.filter((header) => !/^content-(?:type|transfer-encoding)\s*:/i.test(nameIn(header)))
    const kind = /^\s*(text\/[\w.+-]+)/i.exec(type)?.[1] ?? 'text/plain'
    const kept = type.match(/;\s*(?:format|delsp|name|method)\s*=\s*(?:"[^"]*"|[^;\s]*)/gi)?.join('') ?? ''
    others.push(Buffer.from(`Content-Type: ${kind}${kept}; charset=utf-8\r\n`, 'latin1'))
    // The text of a part in base64 may have no line feed before the next separator.
    return [...others, blankLine(headerBytes), text, Buffer.from('\r\n')]
  }

  async #decode(bytes: Buffer, type: string): Promise<Buffer> {
    const declared = (): string | undefined =>
      /html/i.test(type) ? declaredCharset(bytes.toString('latin1', 0, SAMPLE_BYTES)) : undefined
    return Buffer.from(decodeWhole(await this.#nameOf(bytes, declared), bytes))
  }

  /** @param declared finds the declared encoding, which takes time: only for a guess */
  async #nameOf(bytes: Buffer, declared: () => string | undefined): Promise<string> {
    if (this.#guesses >= MAX_GUESSES) return this.#lastGuess
    this.#guesses += 1
    const found: Pick<Charset, 'name' | 'isUnsure'> = await detectCharset(inMemory(bytes).open(), declared()).catch(
      () => ({
        name: FALLBACK,
        isUnsure: true,
      }),
    )
    if (found.isUnsure) this.unsure.add(found.name)
    this.#lastGuess = found.name
    return found.name
  }

  /** The next line that separates parts, or the end of the mail. */
  #boundaryAfter(from: number): Separator {
    const { mail } = this
    for (let start = from; start < mail.length; ) {
      const feed = mail.indexOf(LINE_FEED, start)
      const end = feed < 0 ? mail.length : feed + 1
      if (mail[start] === HYPHEN && mail[start + 1] === HYPHEN && end - start < MAX_BOUNDARY_BYTES) {
        const line = mail.toString('latin1', start + 2, end).trimEnd()
        const isLast = !this.#boundaries.has(line) && line.endsWith('--') && this.#boundaries.has(line.slice(0, -2))
        if (isLast || this.#boundaries.has(line)) return { start, end, isLast }
      }
      start = end
    }
    return { start: mail.length, end: mail.length, isLast: true }
  }
}

function headersAt(mail: Buffer, from: number): HeaderBlock {
  const headers: Buffer[] = []
  let start = from
  let header = from
  for (;;) {
    const feed = mail.indexOf(LINE_FEED, start)
    const end = feed < 0 ? mail.length : feed + 1
    const isBlank = end - start <= 2 && mail.toString('latin1', start, end).trim() === ''
    const isContinued = mail[start] === 0x20 || mail[start] === 0x09
    if (start > header && (isBlank || !isContinued)) {
      headers.push(mail.subarray(header, start))
      header = start
    }
    if (isBlank) return { headers, end }
    start = end
    if (feed < 0) {
      headers.push(mail.subarray(header, end))
      return { headers, end }
    }
  }
}

function nameIn(header: Buffer): string {
  return header.toString('latin1', 0, 100)
}

/** The value of the first header of a name, in Latin-1. @returns '' without one */
function valueOf(headers: readonly Buffer[], name: string): string {
  const found = headers.find((header) => nameIn(header).toLowerCase().startsWith(`${name}:`))
  return found === undefined ? '' : found.toString('latin1', name.length + 1, 4_096).replaceAll(/\s+/g, ' ')
}

/** True for an attached text, of which nothing is read. An attached calendar is. */
function isUnread(headers: readonly Buffer[], type: string): boolean {
  return /^\s*attachment/i.test(valueOf(headers, 'content-disposition')) && !/^\s*text\/calendar/i.test(type)
}

function charsetOf(type: string): string {
  const found = /charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(type)
  return found?.[1] ?? found?.[2] ?? ''
}

/** The first charset that some part declares, for the headers of a mail whose parts have one. */
function declaredIn(mail: Buffer): string | undefined {
  for (const [, name = ''] of mail.toString('latin1', 0, SAMPLE_BYTES).matchAll(/charset\s*=\s*"?([\w.:-]+)/gi)) {
    if (!DOUBTFUL.test(name)) return name
  }
  return undefined
}

/** @returns `base64`, `quoted-printable`, or '' for bytes as they are */
function encodingOf(headers: readonly Buffer[]): string {
  return /base64|quoted-printable/i.exec(valueOf(headers, 'content-transfer-encoding'))?.[0].toLowerCase() ?? ''
}

function decodedBody(body: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64')
  if (encoding === '') return body
  const text = body.toString('latin1').replaceAll(/=[ \t]*\r?\n/g, '')
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
}

/** The end of a block of headers. A mail without a body may have none. */
function blankLine(headerBytes: number): Buffer {
  return Buffer.from(headerBytes > 0 ? '\r\n' : '')
}

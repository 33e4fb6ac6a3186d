import { isAscii } from 'node:buffer'
import PostalMime, { type Attachment, decodeWords, type Email } from 'postal-mime'
import { ExtractionError, isError } from '../../../src/ports/index.js'
import { eventsOf } from './eml/eml-calendar.js'
import { withCharsets } from './eml/eml-charsets.js'
import { addPage } from './html/html-reader.js'
import { MarkedLines } from './marked-lines.js'
import { type FileBytes, readAll, warning } from './reader.js'
import type { ReaderPiece, ReaderWarning } from './reader-piece.js'
import { encodingUnsure } from './text-reader.js'

/** The lines before the body, in this order. */
const SHOWN = ['Subject', 'From', 'To', 'Cc', 'Date'] as const
/** A mail has at least one of these. */
const USUAL = new Set('from to subject date received message-id return-path mime-version content-type'.split(' '))
/** Parts of a report about a mail: the mail itself is another part. */
const REPORT = /^message\/(?:delivery-status|feedback-report|disposition-notification|global-delivery-status)$/i
const ORIGINAL = /^(?:message\/(?:rfc822|global)(?:-headers)?|text\/rfc822-headers)$/i
/** The mails inside reports that are read. No honest report has more. */
const MAX_ORIGINALS = 20
const CALENDAR = /^(?:text\/calendar|application\/ics)$/i
/** The characters by which the plain text and the page of a mail are compared. */
const COMPARED_CHARACTERS = 200_000
/** The share of other words up to which one of them says the same as the other. */
const SAME_WORDS = 0.2

/**
 * Reads a mail: subject, sender, receivers, date and body. The body is the plain text, or the page if that has all of it
 * and more, or both if they differ. Forwarded mails, the mail that a report is about, and the events of an invitation are
 * part of it. Other attachments are named and not read.
 */
export async function* readEml(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const unsure = new Set<string>()
  const mail = await parse(await readAll(file), unsure)
  if (!mail.headers.some(({ key }) => USUAL.has(key))) {
    throw new ExtractionError(
      'ERR_CORRUPT_FILE',
      'The file has no headers of a mail: rename it to .txt if it is a text',
    )
  }
  const out = new MarkedLines()
  addHeaders(mail, out, 1)
  let isDamaged = addBody(mail, out)
  const attachments = addEvents(mail.attachments, out)
  const { others, originals } = originalsIn(attachments)
  for (const { content } of originals) {
    const original = await parse(Buffer.from(content as ArrayBuffer), unsure)
    out.leaveGap()
    addHeaders(original, out, 2)
    isDamaged = addBody(original, out) || isDamaged
    others.push(...addEvents(original.attachments, out))
  }
  const warnings = addAttachments(others, out)
  for (const name of unsure) warnings.push(encodingUnsure(name))
  if (isDamaged) {
    const message = 'some characters of the mail could not be decoded and became U+FFFD'
    warnings.push(warning(message, 'mail-characters-undecodable'))
  }
  yield* out.pieces()
  if (warnings.length > 0) yield { text: '', warnings }
}

/**
 * @param unsure receives the guessed encodings that are not certain
 * @throws ExtractionError `ERR_EXTRACTION_LIMIT` for a mail with too many headers or levels
 */
async function parse(bytes: Buffer, unsure: Set<string>): Promise<Email> {
  const mail = isAscii(bytes) ? await parseBytes(bytes) : undefined
  if (mail !== undefined && !isDoubtful(`${mail.text ?? ''}${mail.html ?? ''}`, bytes)) return mail
  const decodable = await withCharsets(bytes)
  for (const name of decodable.unsure) unsure.add(name)
  return await parseBytes(decodable.bytes)
}

/** The library takes a text without a charset for UTF-8, and one that says ASCII for windows-1252. */
function isDoubtful(text: string, bytes: Buffer): boolean {
  if (text.includes('\uFFFD')) return true
  return (bytes.includes('us-ascii') || bytes.includes('US-ASCII')) && /[^\0-\x7F]/.test(text)
}

async function parseBytes(bytes: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(bytes)
  } catch (error) {
    if (!isError(error) || !error.message.includes('exceeded')) throw error
    throw new ExtractionError(
      'ERR_EXTRACTION_LIMIT',
      'The mail has more than 2 MB of headers, or more than 256 levels of parts: save its text as .txt',
      { cause: error },
    )
  }
}

/** @param level the level of the subject among the headings */
function addHeaders(mail: Email, out: MarkedLines, level: number): void {
  for (const name of SHOWN) {
    const header = mail.headers.find(({ key }) => key === name.toLowerCase())
    const value = decodeWords(header?.value ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    if (value === '') continue
    if (name === 'Subject') out.mark(value, level)
    out.add(`${name}: ${value}`)
  }
  out.leaveGap()
}

/** Adds the plain text, the page, or both. @returns true if some of it could not be decoded */
function addBody({ text, html = '' }: Email, out: MarkedLines): boolean {
  const plain = (text?.trim() ?? '').replaceAll(/\r\n?/g, '\n')
  const page = plain === '' || html === '' ? '' : textOfPage(html)
  const isPlainShown = plain !== '' && (page === '' || !isWithin(plain, page) || isWithin(page, plain))
  const isPageShown = html !== '' && (plain === '' || (page.length * 2 >= plain.length && !isWithin(page, plain)))
  if (isPlainShown) out.add(plain)
  if (isPlainShown && isPageShown) out.leaveGap()
  if (isPageShown) addPage(html, out)
  return (isPlainShown && plain.includes('\uFFFD')) || (isPageShown && page.includes('\uFFFD'))
}

function textOfPage(html: string): string {
  const lines = new MarkedLines()
  addPage(html, lines)
  return [...lines.pieces()].map(({ text }) => text).join('')
}

/** True if nearly all words of a text are words of the other. Addresses of links do not count: a page hides them. */
function isWithin(text: string, other: string): boolean {
  const words = wordsOf(text)
  const others = wordsOf(other)
  let missing = 0
  for (const word of words) if (!others.has(word)) missing += 1
  return missing <= words.size * SAME_WORDS
}

function wordsOf(text: string): Set<string> {
  const shown = text
    .slice(0, COMPARED_CHARACTERS)
    .replaceAll(/\b(?:https?|mailto):\S+/gi, ' ')
    .toLowerCase()
  // Scripts without blanks have no words that could be compared.
  return new Set(shown.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu))
}

/** Adds the events of invitations, each once: many mails have them twice. @returns the other attachments */
function addEvents(attachments: readonly Attachment[], out: MarkedLines): Attachment[] {
  const others: Attachment[] = []
  const added = new Set<string>()
  for (const attachment of attachments) {
    const events = CALENDAR.test(attachment.mimeType) ? eventsOf(decodedContent(attachment)) : []
    if (events.length === 0) others.push(attachment)
    for (const event of events) {
      if (added.has(event)) continue
      added.add(event)
      out.leaveGap()
      for (const line of event.split('\n')) out.add(line)
    }
  }
  return others
}

function decodedContent({ content }: Attachment): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content)
}

/** The mails that a report is about: the library keeps them as attachments. */
function originalsIn(attachments: readonly Attachment[]): { others: Attachment[]; originals: Attachment[] } {
  const others: Attachment[] = []
  const originals: Attachment[] = []
  const isReport = attachments.some(({ mimeType }) => REPORT.test(mimeType))
  for (const one of attachments) {
    const isOriginal = isReport && ORIGINAL.test(one.mimeType) && one.disposition !== 'attachment'
    if (isOriginal && originals.length < MAX_ORIGINALS) originals.push(one)
    else others.push(one)
  }
  return { others, originals }
}

/** Pictures of the page have no names that matter. @returns the warnings */
function addAttachments(attachments: readonly Attachment[], out: MarkedLines): ReaderWarning[] {
  const named = attachments.filter(({ related, filename }) => related !== true && filename !== null)
  if (named.length > 0) {
    out.leaveGap()
    out.add(`Attachments: ${named.map(({ filename }) => filename?.replaceAll(/\s+/g, ' ')).join('; ')}`)
  }
  const count = attachments.filter(({ related }) => related !== true).length
  if (count === 0) return []
  const message = count === 1 ? '1 attachment is not read' : `${count} attachments are not read`
  return [warning(message, 'attachments-not-read', { count })]
}

import { isAscii } from 'node:buffer'
import PostalMime, { type Attachment, decodeWords, type Email } from 'postal-mime'
import { ExtractionError, isError } from '../../../src/ports/index.js'
import { eventsOf } from './eml/eml-calendar.js'
import { withCharsets } from './eml/eml-charsets.js'
import { addAttachments, addBody, addHeaders, undecodable } from './mail/mail-lines.js'
import { MarkedLines } from './marked-lines.js'
import { type FileBytes, readAll } from './reader.js'
import type { ReaderPiece } from './reader-piece.js'
import { encodingUnsure } from './text-reader.js'

/** A mail has at least one of these. */
const USUAL = new Set('from to subject date received message-id return-path mime-version content-type'.split(' '))
/** Parts of a report about a mail: the mail itself is another part. */
const REPORT = /^message\/(?:delivery-status|feedback-report|disposition-notification|global-delivery-status)$/i
const ORIGINAL = /^(?:message\/(?:rfc822|global)(?:-headers)?|text\/rfc822-headers)$/i
/** The mails inside reports that are read. No honest report has more. */
const MAX_ORIGINALS = 20
const CALENDAR = /^(?:text\/calendar|application\/ics)$/i
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
  addMailHeaders(mail, out, 1)
  let isDamaged = addBody(mail, out)
  const attachments = addEvents(mail.attachments, out)
  const { others, originals } = originalsIn(attachments)
  for (const { content } of originals) {
    const original = await parse(Buffer.from(content as ArrayBuffer), unsure)
    out.leaveGap()
    addMailHeaders(original, out, 2)
    isDamaged = addBody(original, out) || isDamaged
    others.push(...addEvents(original.attachments, out))
  }
  const warnings = addAttachments(namesOf(others), out)
  for (const name of unsure) warnings.push(encodingUnsure(name))
  if (isDamaged) warnings.push(undecodable())
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
function addMailHeaders({ headers }: Email, out: MarkedLines, level: number): void {
  const valueOf = (name: string): string => {
    return decodeWords(headers.find(({ key }) => key === name.toLowerCase())?.value ?? '')
  }
  addHeaders(valueOf, out, level)
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

/** Pictures of the page have no names that matter. */
function namesOf(attachments: readonly Attachment[]): (string | null)[] {
  return attachments.filter(({ related }) => related !== true).map(({ filename }) => filename)
}

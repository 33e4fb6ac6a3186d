import PostalMime, { decodeWords, type Email } from 'postal-mime'
import { type ExtractedPiece, ExtractionError, type ExtractionWarning, isError } from '../../../src/ports/index.js'
import { addPage } from './html/html-reader.js'
import { MarkedLines } from './marked-lines.js'
import { type FileBytes, readAll, warning } from './reader.js'

/** The lines before the body, in this order. */
const SHOWN = ['Subject', 'From', 'To', 'Cc', 'Date'] as const
/** A mail has at least one of these. */
const USUAL = new Set('from to subject date received message-id return-path mime-version content-type'.split(' '))

/**
 * Reads a mail: subject, sender, receivers, date and body. The body is the plain text, or the page if there is none.
 * Forwarded mails are part of the body. Attachments are named and not read.
 */
export async function* readEml(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const mail = await parse(await readAll(file))
  if (!mail.headers.some(({ key }) => USUAL.has(key))) {
    throw new ExtractionError(
      'ERR_CORRUPT_FILE',
      'The file has no headers of a mail: rename it to .txt if it is a text',
    )
  }
  const out = new MarkedLines()
  addHeaders(mail, out)
  const body = mail.text?.trim() ?? ''
  if (body !== '') out.add(body.replaceAll(/\r\n?/g, '\n'))
  else if (mail.html !== undefined) addPage(mail.html, out)
  const warnings = addAttachments(mail, out)
  if (body.includes('\uFFFD')) {
    const message = 'some characters of the mail could not be decoded and became U+FFFD'
    warnings.push(warning(message, 'mail-characters-undecodable'))
  }
  yield* out.pieces()
  if (warnings.length > 0) yield { text: '', warnings }
}

/** @throws ExtractionError `ERR_EXTRACTION_LIMIT` for a mail with too many headers or levels */
async function parse(bytes: Buffer): Promise<Email> {
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

function addHeaders(mail: Email, out: MarkedLines): void {
  for (const name of SHOWN) {
    const header = mail.headers.find(({ key }) => key === name.toLowerCase())
    const value = decodeWords(header?.value ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    if (value === '') continue
    if (name === 'Subject') out.mark(value, 1)
    out.add(`${name}: ${value}`)
  }
  out.leaveGap()
}

/** Pictures of the page have no names that matter. @returns the warnings */
function addAttachments({ attachments }: Email, out: MarkedLines): ExtractionWarning[] {
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

// cspell:ignore appt recip
import { ExtractionError } from '../../../../src/ports/index.js'
import { wrongType } from '../../wrong-type.js'
import { MSG_STREAM } from '../doc/doc-container.js'
import { addAttachments, addBody, addHeaders, type SHOWN_HEADERS, undecodable } from '../mail/mail-lines.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, readAll } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { topLevelNames } from './msg-container.js'
import { bodyOf, type MsgFields, readMail } from './msg-mail.js'

/** The mails inside a mail that are read. No honest mail has more. */
const MAX_INNER = 20
const MAX_LEVEL = 9
/** The ends of the names of properties whose texts are in a code page. */
const OLD_TEXTS = ['001E', '001e'].map((type) => Buffer.from(type, 'utf16le'))

/**
 * Reads a mail or an appointment of Outlook as an .eml: subject, sender, receivers, date and body. Mails that are attached
 * are part of it. Other attachments are named and not read.
 */
export async function* readMsg(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const bytes = await readAll(file)
  const names = topLevelNames(bytes)
  if (!names.has(MSG_STREAM)) throw notMail(names)
  const hasOldTexts = OLD_TEXTS.some((type) => bytes.includes(type))
  const { fields, warnings } = await readMail(bytes, hasOldTexts)
  const lines = new MsgLines(warnings)
  await lines.add(fields, 1)
  yield* lines.pieces()
}

function notMail(names: ReadonlySet<string>): ExtractionError {
  if (names.has('worddocument')) return wrongType('a Word document', '.msg', '.doc')
  return new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    'The file is an OLE container, but not a mail of Outlook: save its text as .docx or .pdf',
  )
}

/** The lines of a mail and of those inside it. */
class MsgLines {
  readonly #out = new MarkedLines()
  readonly #names: (string | null)[] = []
  readonly #warnings: ReaderWarning[]
  #inner = 0
  #isDamaged = false

  constructor(warnings: readonly ReaderWarning[]) {
    this.#warnings = [...warnings]
  }

  async add(fields: MsgFields, level: number): Promise<void> {
    addHeaders((name) => headerOf(fields, name), this.#out, level)
    for (const line of appointmentOf(fields)) this.#out.add(line)
    this.#out.leaveGap()
    const { text, html, warnings } = await bodyOf(fields)
    this.#warnings.push(...warnings)
    if (addBody({ text, html }, this.#out)) this.#isDamaged = true
    for (const attachment of fields.attachments ?? []) {
      const { innerMsgContentFields: inner } = attachment
      if (inner !== undefined && this.#inner < MAX_INNER) {
        this.#inner += 1
        this.#out.leaveGap()
        await this.add(inner, Math.min(level + 1, MAX_LEVEL))
      } else if (!isPicture(attachment, html)) {
        this.#names.push(attachment.fileName ?? attachment.fileNameShort ?? attachment.name ?? null)
      }
    }
  }

  *pieces(): Generator<ReaderPiece> {
    const warnings = [...addAttachments(this.#names, this.#out), ...this.#warnings]
    if (this.#isDamaged) warnings.push(undecodable())
    yield* this.#out.pieces()
    if (warnings.length > 0) yield { text: '', warnings }
  }
}

/** True for a picture that the page shows. */
function isPicture({ attachmentHidden, pidContentId }: MsgFields, html: string | undefined): boolean {
  if (attachmentHidden === true) return true
  return pidContentId !== undefined && pidContentId !== '' && html?.includes(`cid:${pidContentId}`) === true
}

function headerOf(fields: MsgFields, name: (typeof SHOWN_HEADERS)[number]): string {
  if (name === 'Subject') return fields.subject ?? fields.normalizedSubject ?? ''
  if (name === 'From') return personOf(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)
  if (name === 'Date') return fields.clientSubmitTime ?? fields.messageDeliveryTime ?? ''
  const people = (fields.recipients ?? []).filter(({ recipType = 'to' }) => recipType === name.toLowerCase())
  return people.map((person) => personOf(person.name, person.smtpAddress ?? person.email)).join(', ')
}

/** @param address a path of an Exchange server tells a reader nothing */
function personOf(name = '', address = ''): string {
  const shown = address.includes('@') ? address : ''
  if (shown === '' || name === shown) return name === '' ? shown : name
  return name === '' ? shown : `${name} <${shown}>`
}

/** The time and the place of an appointment. */
function appointmentOf({ apptStartWhole, apptEndWhole, apptLocation, location }: MsgFields): string[] {
  if (apptStartWhole === undefined) return []
  const lines = [
    ['Start', apptStartWhole],
    ['End', apptEndWhole],
    ['Location', apptLocation ?? location],
  ] as const
  return lines.flatMap(([name, value = '']) => (value.trim() === '' ? [] : `${name}: ${value.trim()}`))
}

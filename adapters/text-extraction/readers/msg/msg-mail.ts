// cspell:ignore fromhtml oxrtfcp
import { decompressRTF } from '@kenjiuno/decompressrtf'
import type { FieldsData } from '@kenjiuno/msgreader'
import iconv from 'iconv-lite'
import { deEncapsulateSync } from 'rtf-stream-parser'
import { ExtractionError } from '../../../../src/ports/index.js'
import { detectCharset } from '../../charsets/charset.js'
import { declaredCharset, pageText } from '../html/html-reader.js'
import { inMemory, textMayBeMissing } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'
import { USUAL_ENCODING } from '../rtf/rtf-bytes.js'
import { codePage } from '../rtf/rtf-fonts.js'
import { rtfText } from '../rtf/rtf-reader.js'
import { encodingUnsure } from '../text-reader.js'
import { openMail } from './msg-container.js'

/** The encoding in which each byte is a character. */
const BYTE_FOR_BYTE = 'latin1'
/** The code page of texts without accents. Texts that have accents show their encoding. */
const ASCII = 20_127
/** Longer RTF is hostile: the library takes it apart in memory. */
const MAX_RTF_BYTES = 16 * 1_048_576
/** The lengths, the kind and the checksum of compressed RTF ([MS-OXRTFCP] 2.1.3.1.1). */
const RTF_HEADER_BYTES = 16

/** A mail of Outlook, as its properties describe it. */
export type MsgFields = FieldsData

/** The properties of a mail. */
export interface MsgMail {
  readonly fields: MsgFields
  readonly warnings: readonly ReaderWarning[]
}

/**
 * Reads the properties of a mail. Texts of older versions are in the code page that the mail names, or in one that is
 * detected as that of a text file.
 *
 * @param hasOldTexts true if it has such texts
 */
export async function readMail(bytes: Buffer, hasOldTexts: boolean): Promise<MsgMail> {
  const fields = parse(bytes, BYTE_FOR_BYTE)
  if (!hasOldTexts) return { fields, warnings: [] }
  const { messageCodepage, internetCodepage, subject = '', body = '' } = fields
  const named = messageCodepage === ASCII ? undefined : encodingOf(messageCodepage)
  if (named !== undefined && iconv.encodingExists(named)) return { fields: parse(bytes, named), warnings: [] }
  const sample = [subject, body].filter((text) => /^[\0-\xff]*$/.test(text)).join('\n')
  const { encoding, isUnsure } = await detected(Buffer.from(sample, 'latin1'), encodingOf(internetCodepage))
  return { fields: parse(bytes, encoding), warnings: isUnsure ? [encodingUnsure(encoding)] : [] }
}

/** The encoding of texts, of those that the library decodes. */
async function detected(
  sample: Buffer,
  declared: string | undefined,
): Promise<{ encoding: string; isUnsure: boolean }> {
  try {
    const { name, isUnsure } = await detectCharset(inMemory(sample).open(), declared)
    if (iconv.encodingExists(name)) return { encoding: name, isUnsure }
  } catch (error) {
    passDefect(error)
  }
  return { encoding: USUAL_ENCODING, isUnsure: true }
}

function encodingOf(page: number | undefined): string | undefined {
  return page === undefined ? undefined : codePage(page)
}

function parse(bytes: Buffer, ansiEncoding: string): MsgFields {
  const reader = openMail(bytes)
  reader.parserConfig = { ansiEncoding }
  const fields = reader.getFileData()
  if (fields.error !== undefined) throw new Error(fields.error)
  return fields
}

/** The body of a mail in both forms. */
export interface MsgBody {
  readonly text: string | undefined
  readonly html: string | undefined
  readonly warnings: readonly ReaderWarning[]
}

/** The body: the page is a property of its own, or is inside the RTF, which else stands for a missing plain text. */
export async function bodyOf({ body, bodyHtml, html, compressedRtf, internetCodepage }: MsgFields): Promise<MsgBody> {
  const warnings: ReaderWarning[] = []
  if (html !== undefined && html.length > 0) {
    try {
      const page = await pageText(inMemory(Buffer.from(html)), encodingOf(internetCodepage))
      return { text: body, html: page.text, warnings: page.warnings }
    } catch (error) {
      passDefect(error)
      warnings.push(textMayBeMissing('the page of the mail cannot be decoded'))
    }
  }
  if (!isBlank(bodyHtml)) return { text: body, html: bodyHtml, warnings }
  if (compressedRtf === undefined || compressedRtf.length === 0) return { text: body, html: undefined, warnings }
  const inRtf = await bodyInRtf(body, compressedRtf)
  return { ...inRtf, warnings: [...warnings, ...inRtf.warnings] }
}

/** @param body the plain text, which RTF stands for if it is missing */
async function bodyInRtf(body: string | undefined, compressed: Uint8Array): Promise<MsgBody> {
  const lost = { text: body, html: undefined, warnings: [textMayBeMissing('the RTF of the mail is damaged')] }
  const rtf = rtfOf(compressed)
  if (rtf === undefined) return lost
  const hasPage = rtf.toString('latin1', 0, 2_000).includes('\\fromhtml')
  const html = hasPage ? pageIn(rtf) : undefined
  if (html !== undefined) return { text: body, html, warnings: [] }
  if (!isBlank(body)) return { text: body, html: undefined, warnings: [] }
  try {
    const { text, warnings } = await rtfText(rtf)
    if (hasPage && isBlank(text)) return lost
    return { text, html: undefined, warnings }
  } catch (error) {
    passDefect(error)
    return lost
  }
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}

/** Throws an error again that does not say what is wrong with the file. */
function passDefect(error: unknown): void {
  if (!(error instanceof ExtractionError)) throw error
}

/** @returns `undefined` for RTF that is damaged or too long */
function rtfOf(compressed: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(compressed.buffer, compressed.byteOffset, compressed.length)
  if (bytes.length < RTF_HEADER_BYTES || bytes.length > MAX_RTF_BYTES) return undefined
  // The library reads and writes as much as the header says.
  if (bytes.readUInt32LE(0) + 4 > bytes.length || bytes.readUInt32LE(4) > MAX_RTF_BYTES) return undefined
  try {
    return Buffer.from(decompressRTF(Array.from(bytes)))
  } catch {
    return undefined
  }
}

/** The web page that Outlook has packed into RTF. */
function pageIn(rtf: Buffer): string | undefined {
  try {
    const decode = (bytes: Buffer, encoding: string): string => iconv.decode(bytes, encoding)
    const { text } = deEncapsulateSync(rtf, { decode, mode: 'html', warn: () => undefined })
    return typeof text === 'string' ? text : decodedPage(text)
  } catch {
    return undefined
  }
}

function decodedPage(bytes: Buffer): string {
  const declared = declaredCharset(bytes.toString('latin1', 0, 2_000))
  return iconv.decode(bytes, declared !== undefined && iconv.encodingExists(declared) ? declared : USUAL_ENCODING)
}

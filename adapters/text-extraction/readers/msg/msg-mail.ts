// cspell:ignore fromhtml
import { decompressRTF } from '@kenjiuno/decompressrtf'
import msgReader, { type FieldsData } from '@kenjiuno/msgreader'
import iconv from 'iconv-lite'
import { deEncapsulateSync } from 'rtf-stream-parser'
import { detectCharset } from '../../charsets/charset.js'
import { declaredCharset, pageText } from '../html/html-reader.js'
import { inMemory } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'
import { codePage } from '../rtf/rtf-fonts.js'
import { rtfText } from '../rtf/rtf-reader.js'
import { encodingUnsure } from '../text-reader.js'

/** The encoding in which each byte is a character. */
const BYTE_FOR_BYTE = 'latin1'
const USUAL_ENCODING = 'windows-1252'
/** Longer RTF is hostile: the library takes it apart in memory. */
const MAX_RTF_BYTES = 32 * 1_048_576

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
  const named = messageCodepage === undefined ? undefined : codePage(messageCodepage)
  if (named !== undefined && iconv.encodingExists(named)) return { fields: parse(bytes, named), warnings: [] }
  const sample = [subject, body].filter((text) => /^[\0-\xff]*$/.test(text)).join('\n')
  const declared = internetCodepage === undefined ? undefined : codePage(internetCodepage)
  const { name, isUnsure } = await detectCharset(inMemory(Buffer.from(sample, 'latin1')).open(), declared)
  const encoding = iconv.encodingExists(name) ? name : USUAL_ENCODING
  return { fields: parse(bytes, encoding), warnings: isUnsure ? [encodingUnsure(encoding)] : [] }
}

function parse(bytes: Buffer, ansiEncoding: string): MsgFields {
  const reader = new msgReader.default(new Uint8Array(bytes).buffer)
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
export async function bodyOf({ body, bodyHtml, html, compressedRtf }: MsgFields): Promise<MsgBody> {
  if (html !== undefined && html.length > 0) {
    const page = await pageText(inMemory(Buffer.from(html)))
    return { text: body, html: page.text, warnings: page.warnings }
  }
  if (bodyHtml !== undefined && bodyHtml.trim() !== '') return { text: body, html: bodyHtml, warnings: [] }
  const rtf = rtfOf(compressedRtf)
  if (rtf === undefined) return { text: body, html: undefined, warnings: [] }
  if (rtf.toString('latin1', 0, 2_000).includes('\\fromhtml')) return { text: body, html: pageIn(rtf), warnings: [] }
  const text = (body ?? '').trim() === '' ? await rtfText(rtf) : body
  return { text, html: undefined, warnings: [] }
}

/** @returns `undefined` for RTF that is damaged or too long */
function rtfOf(compressed: Uint8Array | undefined): Buffer | undefined {
  if (compressed === undefined || compressed.length > MAX_RTF_BYTES) return undefined
  try {
    return Buffer.from(decompressRTF(Array.from(compressed)))
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

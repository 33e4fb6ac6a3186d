import { fileURLToPath } from 'node:url'
import { getDocumentProxy } from 'unpdf'
import { ExtractionError, isError } from '../../../../src/ports/index.js'
import { fileTitle, titled } from '../file-title.js'
import { HyphenMender } from '../hyphen-mender.js'
import { cutPiece } from '../marks.js'
import { type FileBytes, readAll, storable, warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { inColumns } from './pdf-columns.js'
import { fieldsOf, notesOf, withFields } from './pdf-fields.js'
import { PdfHeadings } from './pdf-headings.js'
import { linesOf, type PdfLine } from './pdf-lines.js'
import { PdfOutline } from './pdf-outline.js'
import { garbledShare, pageText, type TextItem } from './pdf-page-text.js'
import { hasFewLetters, isPictured } from './pdf-pictures.js'
import { withoutStrayLetters } from './pdf-strays.js'

/** Character maps of CJK fonts, beside the built code. A path, because PDF.js does not load file URLs. */
const CMAPS = fileURLToPath(new URL('../../cmaps/', import.meta.url))
/** A page with a larger share of characters without meaning counts as garbled. */
const GARBLED_SHARE = 0.01
/** A page with a larger share of them has hardly a whole word. */
const ILLEGIBLE_SHARE = 0.3
/** Pages that are looked at for a picture under a few letters. */
const MAX_SCANS = 500
/** Pages with more text come in pieces. */
const MAX_PIECE_UNITS = 65_536

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads a PDF page by page. A broken page loses only its own text. */
export async function* readPdf(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const { pdf, isSalvaged } = await openWhole(file)
  if (isSalvaged) {
    const { numPages: count } = pdf
    const message = `the file is damaged: ${count === 1 ? '1 page was' : `${count} pages were`} found, others may be lost`
    yield { text: '', warnings: [warning(message, 'pages-may-be-lost', { count })] }
  }
  try {
    yield* titled(readPages(pdf), await titleOf(pdf))
  } finally {
    await pdf.destroy()
  }
}

/** The two places of a title, from PDF.js. */
interface PdfTitles {
  readonly info?: { readonly Title?: unknown }
  readonly metadata?: { get(name: string): unknown } | null
}

/** The title in the metadata of a PDF. @returns '' without one that says something */
async function titleOf(pdf: Pdf): Promise<string> {
  // A PDF without XMP has null, other than the types say.
  const found: PdfTitles = await pdf.getMetadata().catch(() => ({}))
  return fileTitle(found.info?.Title) || fileTitle(found.metadata?.get('dc:title'))
}

async function* readPages(pdf: Pdf): AsyncGenerator<ReaderPiece> {
  const hyphens = new HyphenMender()
  const headings = new PdfHeadings(await PdfOutline.read(pdf))
  const unreadable = { broken: 0, illegible: 0, blank: 0 }
  const scans = { left: MAX_SCANS }
  let next = await readPage(pdf, 1, hyphens, scans)
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { text, lines, isPicture } = next
    next = number < pdf.numPages ? await readPage(pdf, number + 1, hyphens, scans) : NO_PAGE
    const problem = warningFor(text, isPicture, number, unreadable)
    const whole = text === undefined || text === '' ? '' : `${storable(text)}\n\n`
    const marks = [{ at: 0, page: number }, ...headings.marksOf(number, whole, lines, next.lines)]
    for (const piece of cutPiece({ text: whole, marks }, MAX_PIECE_UNITS)) yield { ...piece, pages: number }
    if (problem !== undefined) yield { text: '', pages: number, warnings: [problem] }
  }
  const { broken, illegible, blank } = unreadable
  if (broken + illegible + blank === pdf.numPages) throw nothingReadable(unreadable, pdf.numPages)
}

/** Opens a file. If its page tree is damaged and more pages are found in the bytes, it opens those. */
async function openWhole(file: FileBytes): Promise<{ readonly pdf: Pdf; readonly isSalvaged: boolean }> {
  const pdf = await open(new Uint8Array(await readAll(file)))
  // PDF.js abandons the tree at the first invalid page. That one is then the last page.
  if (pdf !== undefined && (await hasPage(pdf, pdf.numPages))) return { pdf, isSalvaged: false }
  const bytes = withFoundPages(await readAll(file))
  const salvaged = bytes && (await open(new Uint8Array(bytes)))
  const readable = pdf === undefined ? 0 : pdf.numPages - 1
  if (salvaged !== undefined && salvaged.numPages > readable) {
    await pdf?.destroy()
    return { pdf: salvaged, isSalvaged: true }
  }
  await salvaged?.destroy()
  if (pdf === undefined) throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged, or not a PDF')
  return { pdf, isSalvaged: false }
}

async function hasPage(pdf: Pdf, number: number): Promise<boolean> {
  try {
    await pdf.getPage(number)
    return true
  } catch {
    return false
  }
}

/** @returns `undefined` if the file is damaged or no PDF */
async function open(bytes: Uint8Array): Promise<Pdf | undefined> {
  try {
    return await getDocumentProxy(bytes, {
      cMapUrl: CMAPS,
      cMapPacked: true,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
      // No picture is decoded.
      maxImageSize: 0,
    })
  } catch (error) {
    if (isError(error) && error.name === 'PasswordException') {
      throw new ExtractionError('ERR_ENCRYPTED', 'The PDF is protected by a password: save it without password', {
        cause: error,
      })
    }
    return undefined
  }
}

interface PageContent {
  /** The text with the filled-in form fields; `undefined` if the page cannot be read. */
  readonly text: string | undefined
  readonly lines: readonly PdfLine[]
  /** True for a picture of a page with a few letters on it. */
  readonly isPicture: boolean
}

const NO_PAGE: PageContent = { text: undefined, lines: [], isPicture: false }

async function readPage(
  pdf: Pdf,
  number: number,
  hyphens: HyphenMender,
  scans: { left: number },
): Promise<PageContent> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent({ disableNormalization: true })
    const runs = items.filter((item): item is typeof item & TextItem => 'str' in item)
    const fields = fieldsOf(await page.getAnnotations().catch(() => []))
    const ordered = inColumns(runs)
    const text = withoutStrayLetters(`${pageText(withFields(ordered, fields))}\n${notesOf(fields)}`).trim()
    let isPicture = false
    if (hasFewLetters(text) && scans.left > 0) {
      scans.left -= 1
      isPicture = await isPictured(page).catch(() => false)
    }
    page.cleanup()
    return { text: hyphens.mend(text), lines: linesOf(ordered), isPicture }
  } catch {
    return NO_PAGE
  }
}

/** The warning about an unreadable page. Also counts the page in `unreadable`. */
function warningFor(
  text: string | undefined,
  isPicture: boolean,
  page: number,
  unreadable: { broken: number; illegible: number; blank: number },
): ReaderWarning | undefined {
  if (text === undefined) {
    unreadable.broken += 1
    return warning(`page ${page} is damaged and left out`, 'page-damaged', { page })
  }
  if (text === '') {
    unreadable.blank += 1
    return warning(`page ${page} has no text`, 'page-without-text', { page })
  }
  const garbled = garbledShare(text)
  if (garbled > ILLEGIBLE_SHARE) unreadable.illegible += 1
  if (garbled <= GARBLED_SHARE) {
    if (!isPicture) return undefined
    return warning(`page ${page} is a picture with a few letters: text in pictures is not read`, 'page-picture', {
      page,
    })
  }
  const message = `page ${page} has characters without meaning: its fonts have no Unicode map`
  return warning(message, 'page-garbled', { page })
}

function nothingReadable(
  unreadable: { readonly broken: number; readonly illegible: number },
  pages: number,
): ExtractionError {
  if (unreadable.illegible > 0) {
    return new ExtractionError(
      'ERR_NO_TEXT',
      'The text of the PDF cannot be read: its fonts have no Unicode map. Export it again with embedded Unicode fonts',
    )
  }
  if (unreadable.broken === pages)
    return new ExtractionError('ERR_CORRUPT_FILE', 'The PDF is damaged: no page can be read')
  return new ExtractionError('ERR_NO_TEXT', 'The PDF has no text: if it is a scan, run text recognition (OCR) first')
}

/** The part of an object that shows its type: its dictionary comes first. */
const HEAD_CHARACTERS = 4_096

/**
 * Appends a new page tree to a PDF whose own tree is lost. The new tree has all pages that are found in the file, in
 * the order of the file.
 *
 * @returns `undefined` if the file has no pages or is encrypted
 */
function withFoundPages(pdf: Buffer): Buffer | undefined {
  const text = pdf.toString('latin1')
  if (text.includes('/Encrypt')) return undefined
  const pages: string[] = []
  let highest = 0
  for (const { 0: header, 1: number = '', 2: generation = '', index } of text.matchAll(/(\d{1,9}) (\d{1,5}) obj\b/g)) {
    highest = Math.max(highest, Number(number))
    const head = text.slice(index + header.length, index + header.length + HEAD_CHARACTERS)
    const [dictionary = ''] = head.split(/endobj|stream/, 1)
    if (/^\s*<</.test(dictionary) && /\/Type\s*\/Page(?![A-Za-z])/.test(dictionary))
      pages.push(`${number} ${generation} R`)
  }
  if (pages.length === 0) return undefined
  const tree = highest + 1
  const root = highest + 2
  const appended = [
    // Readers that scan for objects use this trailer if all others are invalid.
    `\nendobj\n${tree} 0 obj\n<</Type/Pages/Count ${pages.length}/Kids[${pages.join(' ')}]>>\nendobj`,
    `${root} 0 obj\n<</Type/Catalog/Pages ${tree} 0 R>>\nendobj`,
    `trailer\n<</Size ${root + 1}/Root ${root} 0 R>>\nstartxref\n0\n%%EOF\n`,
  ]
  return Buffer.concat([pdf, Buffer.from(appended.join('\n'))])
}

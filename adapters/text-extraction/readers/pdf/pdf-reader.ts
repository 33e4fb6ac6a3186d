import { fileURLToPath } from 'node:url'
import { getDocumentProxy } from 'unpdf'
import { ExtractionError, isError, type RecognizedText } from '../../../../src/ports/index.js'
import { HOW_TO_RECOGNIZE } from '../../picture-formats.js'
import { fileTitle, titled } from '../file-title.js'
import { HyphenMender } from '../hyphen-mender.js'
import { inOrder } from '../in-order.js'
import { cutPiece } from '../marks.js'
import { unsureOf } from '../picture/unsure.js'
import {
  type FileBytes,
  pagesMayBeLost,
  type Recognition,
  readAll,
  recognitionEnded,
  storable,
  warning,
} from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { inColumns } from './pdf-columns.js'
import { fieldsOf, notesOf, withFields } from './pdf-fields.js'
import { PdfHeadings } from './pdf-headings.js'
import { linesOf, type PdfLine } from './pdf-lines.js'
import { PdfOutline } from './pdf-outline.js'
import { garbledShare, pageText, type TextItem } from './pdf-page-text.js'
import { hasFewLetters, isPictured } from './pdf-pictures.js'
import { PdfRecognition } from './pdf-recognition.js'
import { withoutStrayLetters } from './pdf-strays.js'

/** Character maps of CJK fonts, beside the built code. A path, because PDF.js does not load file URLs. */
const CMAPS = fileURLToPath(new URL('../../cmaps/', import.meta.url))
/** A page with a larger share of characters without meaning counts as garbled. */
const GARBLED_SHARE = 0.01
/** A page with a larger share of them has hardly a whole word. */
const ILLEGIBLE_SHARE = 0.3
/** Larger pictures are not decoded for recognition. A page of A3 at 600 dots per inch has fewer pixels. */
const MAX_PICTURE_PIXELS = 72_000_000
/** Pages that are looked at for a picture under a few letters. */
const MAX_SCANS = 500
/** Pages with more text come in pieces. */
const MAX_PIECE_UNITS = 65_536

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads a PDF page by page. A broken page loses only its own text. A page that is one picture is recognised. */
export async function* readPdf(file: FileBytes, recognition?: Recognition): AsyncGenerator<ReaderPiece> {
  const { pdf, isSalvaged } = await openWhole(file)
  if (isSalvaged) yield { text: '', warnings: [pagesMayBeLost(pdf.numPages)] }
  const openPictures = async (): Promise<Pdf | undefined> => {
    return await open(new Uint8Array(await readAll(file)), MAX_PICTURE_PIXELS)
  }
  // The pages of a salvaged file have other numbers.
  const isRecognized = recognition !== undefined && !isSalvaged
  const recognizer = isRecognized ? new PdfRecognition(recognition, file.sizeBytes, openPictures) : undefined
  try {
    yield* titled(readPages(pdf, recognizer), await titleOf(pdf))
  } finally {
    await recognizer?.close()
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

async function* readPages(pdf: Pdf, recognizer: PdfRecognition | undefined): AsyncGenerator<ReaderPiece> {
  const headings = new PdfHeadings(await PdfOutline.read(pdf))
  const unreadable = { broken: 0, illegible: 0, blank: 0 }
  let recognised = 0
  const scans = { left: MAX_SCANS }
  const numbers = Array.from({ length: pdf.numPages }, (_, index) => index + 1)
  const pages = mended(
    inOrder(numbers, recognizer?.pagesAtOnce ?? 1, async (number) => await readPage(pdf, number, scans, recognizer)),
  )
  const take = async (): Promise<PageContent> => {
    const step = await pages.next()
    return step.done === true ? NO_PAGE : step.value
  }
  let next = await take()
  for (const number of numbers) {
    const { text, lines, isPicture, recognized } = next
    next = await take()
    if (recognized !== undefined) recognised += 1
    const problem = (recognized && unsureOf(recognized, number)) ?? warningFor(text, isPicture, number, unreadable)
    const whole = text === undefined || text === '' ? '' : `${storable(text)}\n\n`
    const marks = [{ at: 0, page: number }, ...headings.marksOf(number, whole, lines, next.lines)]
    for (const piece of cutPiece({ text: whole, marks }, MAX_PIECE_UNITS))
      yield { ...piece, pages: number, ...(recognised > 0 && { recognised }) }
    const ending = recognizer?.endedAt === number ? [recognitionEnded(number)] : []
    const warnings = problem === undefined ? ending : [...ending, problem]
    if (warnings.length > 0) yield { text: '', pages: number, warnings }
  }
  const { broken, illegible, blank } = unreadable
  if (broken + illegible + blank === pdf.numPages) throw nothingReadable(unreadable, pdf.numPages, recognizer)
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

/**
 * @param maxPicturePixels larger pictures are not decoded. Default: none is
 * @returns `undefined` if the file is damaged or no PDF
 */
async function open(bytes: Uint8Array, maxPicturePixels = 0): Promise<Pdf | undefined> {
  try {
    return await getDocumentProxy(bytes, {
      cMapUrl: CMAPS,
      cMapPacked: true,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
      maxImageSize: maxPicturePixels,
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
  /** True for a picture of a page with a few letters on it, whose text is not known. */
  readonly isPicture: boolean
  /** The text in the picture of the page, if it was recognised. */
  readonly recognized?: RecognizedText
}

const NO_PAGE: PageContent = { text: undefined, lines: [], isPicture: false }

async function readPage(
  pdf: Pdf,
  number: number,
  scans: { left: number },
  recognizer: PdfRecognition | undefined,
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
    if (text === '' || isPicture) {
      const recognized = await recognizer?.textOf(number)
      // The letters on a scan, such as a stamp, are not part of its picture.
      if (recognized !== undefined && recognized.text !== '') {
        return { text: `${recognized.text}\n\n${text}`.trim(), lines: [], isPicture: false, recognized }
      }
    }
    return { text, lines: linesOf(ordered), isPicture }
  } catch {
    return NO_PAGE
  }
}

/** The pages with the words joined that are cut at the ends of lines. */
async function* mended(pages: AsyncIterable<PageContent>): AsyncGenerator<PageContent> {
  const hyphens = new HyphenMender()
  for await (const page of pages) yield page.text === undefined ? page : { ...page, text: hyphens.mend(page.text) }
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
  recognizer: PdfRecognition | undefined,
): ExtractionError {
  if (unreadable.illegible > 0) {
    return new ExtractionError(
      'ERR_NO_TEXT',
      'The text of the PDF cannot be read: its fonts have no Unicode map. Export it again with embedded Unicode fonts',
    )
  }
  if (unreadable.broken === pages)
    return new ExtractionError('ERR_CORRUPT_FILE', 'The PDF is damaged: no page can be read')
  if (recognizer !== undefined) {
    return new ExtractionError('ERR_NO_TEXT', 'The PDF has no text, and none could be recognised in its pictures')
  }
  return new ExtractionError('ERR_NO_TEXT', `The PDF has no text: if it is a scan, ${HOW_TO_RECOGNIZE}`)
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

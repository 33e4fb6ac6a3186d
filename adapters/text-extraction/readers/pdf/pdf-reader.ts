import { fileURLToPath } from 'node:url'
import { getDocumentProxy } from 'unpdf'
import { type ExtractedPiece, ExtractionError } from '../../../../src/ports/index.js'
import { type FileBytes, piecesOf, readAll, storable } from '../reader.js'
import { garbledShare } from './pdf-characters.js'
import { inColumns } from './pdf-columns.js'
import { fieldsOf, notesOf, withFields } from './pdf-fields.js'
import { HyphenMender } from './pdf-hyphens.js'
import { pageText } from './pdf-page-text.js'
import { withFoundPages } from './pdf-salvage.js'
import type { TextItem } from './pdf-text-item.js'

/** Character maps of CJK fonts, beside the built code. A path, because PDF.js does not load file URLs. */
const CMAPS = fileURLToPath(new URL('../../cmaps/', import.meta.url))
/** A page with a larger share of characters without meaning counts as garbled. */
const GARBLED_SHARE = 0.01
/** Pages with more text come in pieces. */
const MAX_PIECE_UNITS = 65_536

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads a PDF page by page. A broken page loses only its own text. */
export async function* readPdf(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const { pdf, isSalvaged } = await openWhole(file)
  if (isSalvaged) {
    const pages = pdf.numPages === 1 ? '1 page was' : `${pdf.numPages} pages were`
    yield { text: '', warnings: [`the file is damaged: ${pages} found, others may be lost`] }
  }
  try {
    const hyphens = new HyphenMender()
    const unreadable = { broken: 0, garbled: 0, blank: 0 }
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const text = await readPage(pdf, number, hyphens)
      const warning = warningFor(text, number, unreadable)
      const pieces = text === undefined || text === '' ? [''] : piecesOf(`${storable(text)}\n\n`, MAX_PIECE_UNITS)
      for (const piece of pieces) yield { text: piece, pages: number }
      if (warning !== undefined) yield { text: '', pages: number, warnings: [warning] }
    }
    const { broken, garbled, blank } = unreadable
    if (broken + garbled + blank === pdf.numPages) throw nothingReadable(unreadable, pdf.numPages)
  } finally {
    await pdf.destroy()
  }
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
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new ExtractionError('ERR_ENCRYPTED', 'The PDF is protected by a password: save it without password', {
        cause: error,
      })
    }
    return undefined
  }
}

/** Reads the text and the filled-in form fields of a page. @returns `undefined` if the page cannot be read */
async function readPage(pdf: Pdf, number: number, hyphens: HyphenMender): Promise<string | undefined> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent({ disableNormalization: true })
    const runs = items.filter((item): item is typeof item & TextItem => 'str' in item)
    const fields = fieldsOf(await page.getAnnotations().catch(() => []))
    page.cleanup()
    const text = `${pageText(withFields(inColumns(runs), fields))}\n${notesOf(fields)}`
    return hyphens.mend(text.trim())
  } catch {
    return undefined
  }
}

/** The warning about an unreadable page. Also counts the page in `unreadable`. */
function warningFor(
  text: string | undefined,
  number: number,
  unreadable: { broken: number; garbled: number; blank: number },
): string | undefined {
  if (text === undefined) {
    unreadable.broken += 1
    return `page ${number} is damaged and left out`
  }
  if (text === '') {
    unreadable.blank += 1
    return `page ${number} has no text`
  }
  if (garbledShare(text) <= GARBLED_SHARE) return undefined
  unreadable.garbled += 1
  return `page ${number} has characters without meaning: its fonts have no Unicode map`
}

function nothingReadable(
  unreadable: { readonly broken: number; readonly garbled: number },
  pages: number,
): ExtractionError {
  if (unreadable.garbled > 0) {
    return new ExtractionError(
      'ERR_NO_TEXT',
      'The text of the PDF cannot be read: its fonts have no Unicode map. Export it again with embedded Unicode fonts',
    )
  }
  if (unreadable.broken === pages)
    return new ExtractionError('ERR_CORRUPT_FILE', 'The PDF is damaged: no page can be read')
  return new ExtractionError('ERR_NO_TEXT', 'The PDF has no text: if it is a scan, run text recognition (OCR) first')
}

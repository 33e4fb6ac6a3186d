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

/** Character maps of CJK fonts, put beside the built code; a path, because PDF.js does not fetch file URLs. */
const CMAPS = fileURLToPath(new URL('../../cmaps/', import.meta.url))
/** More of a page's characters than this being unreadable makes the page so. */
const GARBLED_SHARE = 0.01
/** Pages with more text come in pieces. */
const MAX_PIECE_UNITS = 65_536

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads a PDF page by page; a page that is broken loses its own text only. */
export async function* readPdf(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const { pdf, isSalvaged } = await openWhole(file)
  if (isSalvaged) {
    const found = pdf.numPages === 1 ? '1 page was' : `${pdf.numPages} pages were`
    yield { text: '', warnings: [`the file is damaged: ${found} found in it, others may be lost`] }
  }
  try {
    const hyphens = new HyphenMender()
    const unreadable = { broken: 0, garbled: 0, blank: 0 }
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const text = await readPage(pdf, number, hyphens)
      const warning = judge(text, number, unreadable)
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

/** A file whose page tree is damaged is opened by the pages that stand in it, where these are more. */
async function openWhole(file: FileBytes): Promise<{ readonly pdf: Pdf; readonly isSalvaged: boolean }> {
  const pdf = await open(new Uint8Array(await readAll(file)))
  // PDF.js gives up the tree at the first page that is none: that one is then the last.
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

/** @returns `undefined` where the file is damaged or no PDF */
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
      throw new ExtractionError('ERR_ENCRYPTED', 'The PDF is protected by a password: save it without one', {
        cause: error,
      })
    }
    return undefined
  }
}

/** Text and filled-in form fields of a page; `undefined` where it cannot be read. */
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

function judge(
  text: string | undefined,
  number: number,
  unreadable: { broken: number; garbled: number; blank: number },
): string | undefined {
  if (text === undefined) {
    unreadable.broken += 1
    return `page ${number} is damaged and was left out`
  }
  if (text === '') {
    unreadable.blank += 1
    return `page ${number} has no text`
  }
  if (garbledShare(text) <= GARBLED_SHARE) return undefined
  unreadable.garbled += 1
  return `page ${number} has characters without a meaning: its fonts have no Unicode map`
}

function nothingReadable(
  unreadable: { readonly broken: number; readonly garbled: number },
  pages: number,
): ExtractionError {
  if (unreadable.garbled > 0) {
    return new ExtractionError(
      'ERR_NO_TEXT',
      'The text of the PDF has no meaning outside of its fonts: they have no Unicode map',
    )
  }
  if (unreadable.broken === pages)
    return new ExtractionError('ERR_CORRUPT_FILE', 'No page of the PDF can be read: it is damaged')
  return new ExtractionError('ERR_NO_TEXT', 'The PDF has no text: it may be a scan')
}

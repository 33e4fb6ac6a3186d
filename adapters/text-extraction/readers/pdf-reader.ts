import { fileURLToPath } from 'node:url'
import { getDocumentProxy } from 'unpdf'
import { type ExtractedPiece, ExtractionError } from '../../../src/ports/index.js'
import { garbledShare, pageText, type TextItem } from './pdf-page-text.js'
import { withFoundPages } from './pdf-salvage.js'
import { type FileBytes, readAll, storable } from './reader.js'

/** Character maps of CJK fonts, put beside the built code; a path, because PDF.js does not fetch file URLs. */
const CMAPS = fileURLToPath(new URL('../cmaps/', import.meta.url))
/** More of a page's characters than this being unreadable makes the page so. */
const GARBLED_SHARE = 0.01

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Reads a PDF page by page; a page that is broken loses its own text only. */
export async function* readPdf(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const bytes = await readAll(file)
  let pdf = await open(bytes)
  if (pdf === undefined) {
    const salvaged = withFoundPages(bytes)
    pdf = salvaged && (await open(salvaged))
    if (pdf === undefined) throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged, or not a PDF')
    const found = pdf.numPages === 1 ? '1 page was' : `${pdf.numPages} pages were`
    yield { text: '', warnings: [`the file is damaged: ${found} found in it, others may be lost`] }
  }
  try {
    const unreadable = { broken: 0, garbled: 0, blank: 0 }
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const text = await readPage(pdf, number)
      const warning = judge(text, number, unreadable)
      yield {
        text: text === undefined || text === '' ? '' : `${storable(text)}\n\n`,
        pages: number,
        ...(warning !== undefined && { warnings: [warning] }),
      }
    }
    const { broken, garbled, blank } = unreadable
    if (broken + garbled + blank === pdf.numPages) throw nothingReadable(unreadable, pdf.numPages)
  } finally {
    await pdf.destroy()
  }
}

/** @returns `undefined` where the file is damaged or no PDF */
async function open(bytes: Buffer): Promise<Pdf | undefined> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
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
async function readPage(pdf: Pdf, number: number): Promise<string | undefined> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent({ disableNormalization: true })
    const text = pageText(items.filter((item): item is typeof item & TextItem => 'str' in item))
    const fields = fieldValues(await page.getAnnotations().catch(() => [])).filter((value) => !text.includes(value))
    page.cleanup()
    return [text.trim(), ...fields].filter((part) => part !== '').join('\n')
  } catch {
    return undefined
  }
}

function fieldValues(annotations: readonly unknown[]): string[] {
  return annotations.flatMap((annotation) => {
    const value: unknown = (annotation as { readonly fieldValue?: unknown } | null)?.fieldValue
    return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []
  })
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

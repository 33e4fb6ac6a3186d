import { ExtractionError } from '../../../../src/ports/index.js'
import { DamagedPartError, type DocxPackage } from '../docx/docx-package.js'
import { walkXml } from '../docx/docx-xml.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import {
  byId,
  mainPartOf,
  openOffice,
  type Relationship,
  relationshipsIn,
  titleOf,
  walk,
} from '../office/office-file.js'
import { type FileBytes, readAll, textMayBeMissing, warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { NumberFormats } from './number-formats.js'
import { SheetMerges } from './sheet-merges.js'
import { SheetText, type WorkbookParts } from './sheet-text.js'
import { StringTable } from './string-table.js'

interface Sheet {
  readonly name: string
  readonly part: string
}

/**
 * Reads a workbook sheet by sheet and row by row, with the values that Excel has calculated and in the formats that it
 * shows. A sheet is a page, and its name a heading. Hidden sheets are left out, with a warning.
 */
export async function* readXlsx(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await openOffice(await readAll(bytes), '.xlsx')
  yield* titled(readSheets(file), await titleOf(file))
}

async function* readSheets(file: DocxPackage): AsyncGenerator<ReaderPiece> {
  const main = await mainPartOf(file, 'xl/workbook.xml')
  if (main.endsWith('.bin')) {
    throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', 'The content is a binary workbook (.xlsb): save it as .xlsx')
  }
  const relationships = await relationshipsIn(file, main)
  const warnings: ReaderWarning[] = []
  const formats = new NumberFormats()
  const sheets = await sheetsOf(file, main, relationships, formats, warnings)
  const strings = new StringTable()
  await readPart(file, relationships, 'styles', formats, warnings)
  await readPart(file, relationships, 'sharedStrings', strings, warnings)
  if (warnings.length > 0) yield { text: '', warnings }
  const out = new MarkedLines()
  for (const [index, sheet] of sheets.entries()) {
    out.page(index + 1)
    yield* readSheet(file, sheet, { strings, formats }, out)
  }
}

/** The visible sheets in the order of their tabs. */
async function sheetsOf(
  file: DocxPackage,
  main: string,
  relationships: readonly Relationship[],
  formats: NumberFormats,
  warnings: ReaderWarning[],
): Promise<readonly Sheet[]> {
  const sheets: Sheet[] = []
  const related = byId(relationships)
  let hidden = 0
  try {
    await walk(file, main, (element, attribute) => {
      if (element === 'x:workbookPr') formats.startsIn1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '')
      if (element !== 'x:sheet') return
      const { type, part } = related.get(attribute(':id') ?? '') ?? {}
      // A sheet of a chart has no rows.
      if (type !== 'worksheet' || part === undefined || !file.claim(part)) return
      if (/hidden/i.test(attribute('state') ?? '')) hidden += 1
      else sheets.push({ name: attribute('name') ?? '', part })
    })
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    if (sheets.length === 0) throw new ExtractionError('ERR_CORRUPT_FILE', `The file is damaged: ${error.message}`)
    const { message: place } = error
    warnings.push(warning(`${place}: some sheets may be missing`, 'sheets-may-be-missing', { part: place }))
  }
  if (hidden > 0) {
    const message = hidden === 1 ? '1 hidden sheet is left out' : `${hidden} hidden sheets are left out`
    warnings.push(warning(message, 'hidden-sheets', { count: hidden }))
  }
  return sheets
}

/** Reads a part that all sheets need, if the workbook has it. */
async function readPart(
  file: DocxPackage,
  relationships: readonly Relationship[],
  type: string,
  visitor: StringTable | NumberFormats,
  warnings: ReaderWarning[],
): Promise<void> {
  const part = relationships.find((relationship) => relationship.type === type)?.part
  if (part === undefined) return
  try {
    await walk(file, part, visitor)
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    const { message: place } = error
    const message = `${place}: some cells may be missing or have another format`
    warnings.push(warning(message, 'cells-may-be-missing', { part: place }))
  }
}

async function* readSheet(
  file: DocxPackage,
  sheet: Sheet,
  parts: WorkbookParts,
  out: MarkedLines,
): AsyncGenerator<ReaderPiece> {
  const warnings: ReaderWarning[] = []
  out.beginSection(sheet.name, 1)
  const text = new SheetText(out, parts, await SheetMerges.read(file, sheet.part))
  try {
    for await (const _ of walkXml(file.bytes(sheet.part), text, sheet.part)) yield* out.longPieces()
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    warnings.push(textMayBeMissing(error.message))
  }
  yield* out.pieces()
  if (text.missing > 0) {
    const { name } = sheet
    const message = `the texts of ${text.missing} cells of the sheet "${name}" are missing`
    warnings.push(warning(message, 'cells-missing', { count: text.missing, sheet: name }))
  }
  warnings.push(...text.warnings())
  if (warnings.length > 0) yield { text: '', warnings }
}

import { type ZipEntry, zipOf } from './hostile/zip-writer.js'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const SLIDES = 'http://schemas.openxmlformats.org/presentationml/2006/main'
const DRAWINGS = 'http://schemas.openxmlformats.org/drawingml/2006/main'

/** The references of a part: the type and the part of each. The ids are `r1`, `r2`, … */
export function relationships(...targets: readonly (readonly [type: string, target: string])[]): string {
  const items = targets.map(
    ([type, target], at) => `<Relationship Id="r${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}">${items.join('')}</Relationships>`
}

/** An Office file of parts. */
export function office(parts: Readonly<Record<string, string | Buffer | ZipEntry>>): Buffer {
  return zipOf(
    Object.entries(parts).map(([name, data]) =>
      typeof data === 'object' && 'data' in data ? data : { name, data: Buffer.from(data) },
    ),
  )
}

export interface SheetSpec {
  readonly name: string
  readonly state?: string
  /** The XML of the rows. */
  readonly rows: string
  /** The merged cells, such as `A2:A3`. */
  readonly merged?: readonly string[]
}

export interface WorkbookSpec {
  readonly strings?: readonly string[]
  /** XML in `numFmts`, and the number of the format of each style. */
  readonly formats?: string
  readonly styles?: readonly number[]
  readonly startsIn1904?: boolean
  readonly others?: Readonly<Record<string, string | Buffer>>
}

export function xlsx(sheets: readonly SheetSpec[], spec: WorkbookSpec = {}): Buffer {
  const { strings = [], formats = '', styles = [], startsIn1904 = false, others = {} } = spec
  const entries = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${name}" sheetId="${at + 7}"${state === undefined ? '' : ` state="${state}"`} r:id="r${at + 1}"/>`,
  )
  const parts: Record<string, string | Buffer> = {
    '[Content_Types].xml': `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    '_rels/.rels': relationships(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><workbookPr${startsIn1904 ? ' date1904="1"' : ''}/><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      ...sheets.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', '/xl/styles.xml'],
    ),
    'xl/sharedStrings.xml': `<sst xmlns="${SHEETS}">${strings.map((text) => (text.startsWith('<') ? `<si>${text}</si>` : `<si><t>${text}</t></si>`)).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${SHEETS}"><numFmts>${formats}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${styles.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
  }
  for (const [at, { rows, merged }] of sheets.entries()) {
    parts[`xl/worksheets/sheet${at + 1}.xml`] = sheetXml(rows, merged)
  }
  return office({ ...parts, ...others })
}

export function sheetXml(rows: string, merged: readonly string[] = []): string {
  const merges = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')
  return `<worksheet xmlns="${SHEETS}"><sheetData>${rows}</sheetData>${merges === '' ? '' : `<mergeCells>${merges}</mergeCells>`}</worksheet>`
}

/** Rows of inline texts and numbers, from A1 on. */
export function rowsOf(table: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null): string => {
    if (value === null) return '<c/>'
    return typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c t="inlineStr"><is><t>${value}</t></is></c>`
  }
  return table.map((row, at) => `<row r="${at + 1}">${row.map(cell).join('')}</row>`).join('')
}

/** A shape with paragraphs. */
export function shape(placeholder: string, ...paragraphs: readonly string[]): string {
  const ph = placeholder === '' ? '' : `<p:ph type="${placeholder}"/>`
  return `<p:sp><p:nvSpPr><p:nvPr>${ph}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.map(slideParagraph).join('')}</p:txBody></p:sp>`
}

export function slideParagraph(text: string): string {
  return `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`
}

export function slideXml(shapes: string, element = 'sld', attributes = ''): string {
  return `<?xml version="1.0"?><p:${element} xmlns:p="${SLIDES}" xmlns:a="${DRAWINGS}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${element}>`
}

/** @param order the number of the slide at each place */
export function pptx(
  slides: readonly string[],
  order: readonly number[] = slides.map((_, at) => at + 1),
  others: Readonly<Record<string, string>> = {},
): Buffer {
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
    '_rels/.rels': relationships(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation xmlns:p="${SLIDES}" xmlns:r="${OFFICE}"><p:sldIdLst>${order.map((number) => `<p:sldId id="${255 + number}" r:id="r${number}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(
      ...slides.map((_, at) => ['slide', `slides/slide${at + 1}.xml`] as const),
    ),
  }
  for (const [at, xml] of slides.entries()) parts[`ppt/slides/slide${at + 1}.xml`] = xml
  return office({ ...parts, ...others })
}

/** The XML of a chart. */
export function chartXml(content: string): string {
  return `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="${DRAWINGS}"><c:chart>${content}</c:chart></c:chartSpace>`
}

/** A series of a chart. */
export function series(name: string, content: string): string {
  return `<c:ser>${name === '' ? '' : strings('c:tx', [name])}${content}</c:ser>`
}

/** Texts that a chart has copied from a workbook. */
export function strings(element: string, texts: readonly string[]): string {
  return `<${element}><c:strRef><c:strCache>${pointsOf(texts)}</c:strCache></c:strRef></${element}>`
}

/** Numbers that a chart has copied from a workbook. */
export function numbers(element: string, values: readonly (number | null)[], format = 'General'): string {
  return `<${element}><c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${pointsOf(values)}</c:numCache></c:numRef></${element}>`
}

function pointsOf(values: readonly (string | number | null)[]): string {
  return values.map((value, at) => (value === null ? '' : `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`)).join('')
}

import { type Blocks, Story } from '../docx/docx-blocks.js'
import type { DocParagraphs, ParagraphProperties } from './doc-paragraphs.js'
import { DocTable } from './doc-table.js'

const MAX_NESTED_TABLES = 8
/** The ends of paragraphs, cells and pages. */
const MARKS = /[\r\x07\f]/g
const FIELD_MARKS = /[\x13-\x15]/g
const CELL_MARK = '\x07'

/**
 * Adds a part of the text of a .doc as paragraphs, and its tables row by row.
 *
 * @param text the text of the whole document with Word's marks
 */
export function addStory(text: string, from: number, to: number, paragraphs: DocParagraphs, out: Blocks): void {
  const tables: DocTable[] = []
  const shown = withoutFieldCodes(text.slice(from, to))
  let start = 0
  for (const { 0: mark, index } of shown.matchAll(MARKS)) {
    addParagraph(shown.slice(start, index), mark, paragraphs.at(from + index), tables, out)
    start = index + 1
  }
  if (start < shown.length) addParagraph(shown.slice(start), '\r', paragraphs.at(to), tables, out)
  while (tables.length > 0) tables.pop()?.close()
}

function addParagraph(
  text: string,
  mark: string,
  properties: ParagraphProperties,
  tables: DocTable[],
  out: Blocks,
): void {
  const depth = Math.min(MAX_NESTED_TABLES, Math.max(properties.depth, mark === CELL_MARK ? 1 : 0))
  while (tables.length > depth) tables.pop()?.close()
  while (tables.length < depth) tables.push(new DocTable(tables.at(-1)?.blocks ?? out))
  const table = tables.at(-1)
  if (table !== undefined && properties.endsRow) {
    table.endRow(properties.row, properties.isHeaderRow)
    return
  }
  if (properties.isHeading && out instanceof Story && table === undefined) out.leaveGap()
  const blocks = table?.blocks ?? out
  blocks.add(plainText(text))
  if (mark === CELL_MARK || properties.endsInnerCell) table?.endCell()
}

/** Removes Word's marks. */
function plainText(text: string): string {
  return text
    .replaceAll(/[\v\x0e]/g, '\n')
    .replaceAll('\x1e', '-')
    .replaceAll(/[\0-\x06\b\x0f-\x1f]/g, '')
}

/**
 * Removes the codes of fields. A field is `\x13` code `\x14` result `\x15`, and only its result is text. Zeros replace
 * the removed characters, so that positions stay valid.
 */
function withoutFieldCodes(text: string): string {
  const open: { readonly begin: number; separator: number | undefined }[] = []
  const codes: { readonly begin: number; readonly end: number }[] = []
  for (const { 0: mark, index } of text.matchAll(FIELD_MARKS)) {
    const field = open.at(-1)
    if (mark === '\x13') open.push({ begin: index, separator: undefined })
    else if (mark === '\x14' && field !== undefined) field.separator ??= index
    else if (mark === '\x15' && field !== undefined) {
      open.pop()
      codes.push({ begin: field.begin, end: (field.separator ?? index) + 1 })
    }
  }
  let result = ''
  let done = 0
  for (const { begin, end } of codes.sort((first, second) => first.begin - second.begin)) {
    // Fields inside the code of another field are already removed.
    if (begin < done) continue
    result += text.slice(done, begin) + '\0'.repeat(end - begin)
    done = end
  }
  return result + text.slice(done)
}

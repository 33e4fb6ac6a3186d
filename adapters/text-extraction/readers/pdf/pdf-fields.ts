import type { TextItem } from './pdf-text-item.js'

/** What PDF.js tells of an annotation, as far as it is text. */
interface Annotation {
  readonly subtype?: unknown
  readonly fieldType?: unknown
  readonly fieldValue?: unknown
  readonly password?: unknown
  readonly combo?: unknown
  readonly options?: unknown
  readonly exportValue?: unknown
  readonly buttonValue?: unknown
  /** The lines that are drawn. */
  readonly textContent?: unknown
  readonly contentsObj?: unknown
  readonly rect?: unknown
  readonly annotationFlags?: unknown
}

/** Text that lies on a page without being part of it. */
export interface Field {
  readonly text: string
  /** Of a form's field: left, bottom, right, top. */
  readonly rect: readonly number[] | undefined
}

/** Notes that a reader opens, or that stand on the page. */
const NOTES = new Set(['Text', 'FreeText', 'Highlight', 'Underline', 'Squiggly', 'StrikeOut', 'Caret'])
/** Names of the states of boxes: they say that there is a tick, not where. */
const STATES = /^(?:off|on|yes|no|\d*)$/i

/** Of the flags of an annotation: not shown to anybody. */
const HIDDEN = 2

/** The text of form fields that are filled in, and of notes. */
export function fieldsOf(annotations: readonly unknown[]): Field[] {
  return annotations.flatMap((found) => {
    const annotation = (found ?? {}) as Annotation
    const text = isHidden(annotation) ? '' : textOf(annotation).trim()
    const rect = annotation.subtype === 'Widget' ? listOf(annotation.rect, 'number') : undefined
    return text === '' ? [] : [{ text, rect }]
  })
}

function isHidden({ annotationFlags }: Annotation): boolean {
  return typeof annotationFlags === 'number' && (annotationFlags & HIDDEN) !== 0
}

function textOf(annotation: Annotation): string {
  const { subtype, fieldType, fieldValue, textContent, contentsObj } = annotation
  if (subtype === 'Widget') {
    if (annotation.password === true) return ''
    if (fieldType === 'Ch') return choices(annotation).join('\n')
    if (fieldType === 'Btn') return ticked(annotation)
    return shown(typeof fieldValue === 'string' ? fieldValue : '', textContent)
  }
  if (typeof subtype !== 'string' || !NOTES.has(subtype)) return ''
  const { str } = (contentsObj ?? {}) as { readonly str?: unknown }
  return shown(typeof str === 'string' ? str : '', textContent)
}

/** What is drawn may be cut into lines, or formatted: it counts where it says something else than the value. */
function shown(value: string, textContent: unknown): string {
  const drawn = listOf(textContent, 'string').join('\n')
  return drawn === '' || withoutBlanks(drawn) === withoutBlanks(value) ? value : drawn
}

/** The choice of a box that opens, and all lines of a list. */
function choices({ fieldValue, options, combo }: Annotation): string[] {
  const known = (Array.isArray(options) ? options : []) as readonly {
    readonly exportValue?: unknown
    readonly displayValue?: unknown
  }[]
  const names = known.map(({ displayValue }) => displayValue)
  const chosen = typeof fieldValue === 'string' ? [fieldValue] : listOf(fieldValue, 'string')
  if (combo !== true && names.length > 0) return listOf(names, 'string')
  return chosen.map((value) => {
    const name = known.find(({ exportValue }) => exportValue === value)?.displayValue
    return typeof name === 'string' ? name : value
  })
}

function ticked({ fieldValue, exportValue, buttonValue }: Annotation): string {
  const isTicked = typeof fieldValue === 'string' && (fieldValue === exportValue || fieldValue === buttonValue)
  return isTicked && !STATES.test(fieldValue) ? fieldValue : ''
}

/** A page's text with each form field behind what stands to its left in its line, or at the end. */
export function withFields(items: readonly TextItem[], fields: readonly Field[]): TextItem[] {
  const placed = [...items]
  for (const { text, rect } of fields) {
    if (rect === undefined) continue
    const [left = 0, bottom = 0, right = 0, top = 0] = rect
    const at = labelOf(placed, left, bottom, top)
    const label = placed[at]
    const height = Math.max(1, Math.min(top - bottom, 12))
    const transform = [height, 0, 0, height, left, label?.transform[5] ?? bottom]
    const item = { str: ` ${text} `, transform, width: right - left, height, dir: 'ltr', hasEOL: true }
    if (label === undefined) placed.push(item)
    else placed.splice(at, 1, { ...label, hasEOL: false }, { ...item, hasEOL: label.hasEOL })
  }
  return placed
}

/** The text of notes, a line each. */
export function notesOf(fields: readonly Field[]): string {
  return fields.flatMap(({ text, rect }) => (rect === undefined ? [text] : [])).join('\n')
}

/** Index of the nearest text to the left of a field, -1 where there is none. */
function labelOf(items: readonly TextItem[], left: number, bottom: number, top: number): number {
  let nearest = -1
  let end = -Infinity
  items.forEach(({ str, dir, width, transform: [, b, , , x = 0, y = 0] }, index) => {
    const isInLine = dir !== 'ttb' && b === 0 && y > bottom - 2 && y < top
    if (str.trim() === '' || !isInLine || x + width > left + 4 || x + width < end) return
    nearest = index
    end = x + width
  })
  return nearest
}

function withoutBlanks(text: string): string {
  return text.replace(/\s/g, '')
}

function listOf<Kind extends 'string' | 'number'>(
  values: unknown,
  kind: Kind,
): (Kind extends 'string' ? string : number)[] {
  const isOfKind = (value: unknown): value is Kind extends 'string' ? string : number => typeof value === kind
  return Array.isArray(values) ? values.filter(isOfKind) : []
}

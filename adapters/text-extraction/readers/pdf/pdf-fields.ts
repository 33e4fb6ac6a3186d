import type { TextItem } from './pdf-page-text.js'

/** The members of a PDF.js annotation that contain text. */
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

/** Text of an annotation: of a form field or a note. */
interface Field {
  readonly text: string
  /** The box of a form field: left, bottom, right, top. `undefined` for a note. */
  readonly rect: readonly number[] | undefined
}

/** The types of notes that a viewer opens or shows on the page. */
const NOTES = new Set(['Text', 'FreeText', 'Highlight', 'Underline', 'Squiggly', 'StrikeOut', 'Caret'])
/** Values of check boxes that say only that a box is ticked, not what it means. */
const STATES = /^(?:off|on|yes|no|\d*)$/i

/** The flag of an annotation that no viewer shows. */
const HIDDEN = 2

/** The text of filled-in form fields and of notes. */
export function fieldsOf(annotations: readonly unknown[]): Field[] {
  return annotations.flatMap((value) => {
    const annotation = (value ?? {}) as Annotation
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
    if (fieldType === 'Ch') return choicesOf(annotation).join('\n')
    if (fieldType === 'Btn') return tickedValueOf(annotation)
    return visibleText(typeof fieldValue === 'string' ? fieldValue : '', textContent)
  }
  if (typeof subtype !== 'string' || !NOTES.has(subtype)) return ''
  const { str } = (contentsObj ?? {}) as { readonly str?: unknown }
  return visibleText(typeof str === 'string' ? str : '', textContent)
}

/** The drawn text may be formatted or cut into lines. It is used only if it differs from the value in more than that. */
function visibleText(value: string, textContent: unknown): string {
  const drawn = listOf(textContent, 'string').join('\n')
  return drawn === '' || withoutBlanks(drawn) === withoutBlanks(value) ? value : drawn
}

/** The chosen value of a combo box, or all lines of a list. */
function choicesOf({ fieldValue, options, combo }: Annotation): string[] {
  const items = (Array.isArray(options) ? options : []) as readonly {
    readonly exportValue?: unknown
    readonly displayValue?: unknown
  }[]
  const names = items.map(({ displayValue }) => displayValue)
  const chosen = typeof fieldValue === 'string' ? [fieldValue] : listOf(fieldValue, 'string')
  if (combo !== true && names.length > 0) return listOf(names, 'string')
  const shown = new Map(items.toReversed().map(({ exportValue, displayValue }) => [exportValue, displayValue]))
  return chosen.map((value) => {
    const name = shown.get(value)
    return typeof name === 'string' ? name : value
  })
}

function tickedValueOf({ fieldValue, exportValue, buttonValue }: Annotation): string {
  const isTicked = typeof fieldValue === 'string' && (fieldValue === exportValue || fieldValue === buttonValue)
  return isTicked && !STATES.test(fieldValue) ? fieldValue : ''
}

/** Inserts each form field after the text to its left in the same line, or at the end of the page. */
export function withFields(items: readonly TextItem[], fields: readonly Field[]): TextItem[] {
  const placed = [...items]
  for (const { text, rect } of fields) {
    if (rect === undefined) continue
    const [left = 0, bottom = 0, right = 0, top = 0] = rect
    const labelIndex = labelIndexOf(placed, left, bottom, top)
    const label = placed[labelIndex]
    const height = Math.max(1, Math.min(top - bottom, 12))
    const transform = [height, 0, 0, height, left, label?.transform[5] ?? bottom]
    const item = { str: ` ${text} `, transform, width: right - left, height, dir: 'ltr', hasEOL: true }
    if (label === undefined) placed.push(item)
    else placed.splice(labelIndex, 1, { ...label, hasEOL: false }, { ...item, hasEOL: label.hasEOL })
  }
  return placed
}

/** The text of notes, one line each. */
export function notesOf(fields: readonly Field[]): string {
  return fields.flatMap(({ text, rect }) => (rect === undefined ? [text] : [])).join('\n')
}

/** The index of the nearest text to the left of a field, or -1. */
function labelIndexOf(items: readonly TextItem[], left: number, bottom: number, top: number): number {
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

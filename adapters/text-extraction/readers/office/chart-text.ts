import type { Blocks } from '../docx/docx-blocks.js'
import type { DocxPackage } from '../docx/docx-package.js'
import { type Attributes, isOn, type XmlVisitor } from '../docx/docx-xml.js'
import { ChartTable, type Points } from './chart-table.js'
import { generalNumber, NumberTexts } from './number-texts.js'

/** The elements of a series with points, and what they are. */
const ROLES: ReadonlyMap<string, keyof Series> = new Map(
  Object.entries<keyof Series>({
    'c:tx': 'name',
    'cx:tx': 'name',
    'c:cat': 'categories',
    'cx:strDim': 'categories',
    'c:xVal': 'x',
    'c:val': 'values',
    'c:yVal': 'values',
    'cx:numDim': 'values',
    'c:bubbleSize': 'sizes',
    'c15:datalabelsRange': 'labels',
  }),
)
/** Each of these begins the points of one level. */
const LEVELS = /^(?:c:(?:str|num)(?:Cache|Lit)|cx?:lvl|c15:dlblRangeCache)$/
const VALUES = new Set(['c:v', 'cx:v', 'cx:pt'])
/** The series of a chart that its filter hides. */
const HIDDEN = 'c15:filtered'
/** Excel allows 255 series of 32,000 points. No chart that people look at comes near. */
const MAX_POINTS = 250_000
/** Labels of points with more levels are hostile. */
const MAX_LEVELS = 16

/** A part of a chart while it is read. */
interface Series {
  name: Points[]
  categories: Points[]
  x: Points[]
  values: Points[]
  sizes: Points[]
  labels: Points[]
}

/**
 * Turns the XML of a chart into its titles and a table: `Oslo; Visitors: 4310`. The points are those that Office keeps in
 * the chart, so the workbook behind it is not needed.
 */
export class ChartText implements XmlVisitor {
  /** True if the chart has more points than are read. */
  isCut = false
  readonly #path: string[] = []
  readonly #table: ChartTable
  readonly #numbers: NumberTexts
  #series: Series | undefined
  /** The points that the open element has; `undefined` outside a series. */
  #levels: Points[] | undefined
  readonly #labels = new Set<string>()
  #points = 0
  #index = 0
  #value = ''
  #format = ''
  #startsIn1904 = false
  #paragraph = ''
  #hiddenDepth = 0
  /** Names of the series of newer charts, which come after the points. */
  readonly #laterNames: Points[][] = []
  readonly #later: Series[] = []

  constructor(
    private readonly out: Blocks,
    file: DocxPackage,
  ) {
    this.#numbers = NumberTexts.of(file)
    this.#table = new ChartTable(out)
  }

  open(name: string, attribute: Attributes): void {
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (this.#hiddenDepth > 0 || name.startsWith(HIDDEN)) {
      this.#hiddenDepth += 1
      return
    }
    if (name === 'c:ser' || name === 'cx:data' || name === 'cx:series') this.#series = newSeries()
    else if (name === 'c:date1904') this.#startsIn1904 = isOn(attribute('val'))
    else if (LEVELS.test(name)) this.#openLevel(attribute('formatCode') ?? '')
    else if (name === 'c:pt' || name === 'cx:pt') this.#index = Number(attribute('idx') ?? 'NaN')
    else if (name === 'a:br') this.#paragraph += '\n'
    else if (this.#series !== undefined) this.#openRole(name, parent)
    if (VALUES.has(name) || name === 'c:formatCode') this.#value = ''
  }

  close(name: string): void {
    this.#path.pop()
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth -= 1
      return
    }
    if (name === 'a:p') this.#endParagraph()
    else if (name === 'c:formatCode') this.#format = this.#value
    else if (VALUES.has(name)) this.#closeValue()
    else if (name === 'c:ser') this.#addSeries()
    else if (name === 'cx:data' && this.#series !== undefined) this.#later.push(this.#series)
    else if (name === 'cx:series' && this.#series !== undefined) this.#laterNames.push(this.#series.name)
    if (ROLES.has(name) && this.#path.at(-1) !== 'c:dLbl') this.#levels = undefined
    if (name === 'c:ser' || name === 'cx:data' || name === 'cx:series') this.#series = undefined
    if (this.#path.length === 0) this.#finish()
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0) return
    const name = this.#path.at(-1) ?? ''
    if (VALUES.has(name) || name === 'c:formatCode') this.#value += text
    // A field such as "[CELL RANGE]" stands for a label that the points have.
    else if (name === 'a:t' && !(this.#path.at(-2) === 'a:fld' && /^\[.*\]$/.test(text.trim())))
      this.#paragraph += text.replaceAll(/[\t\r\n\v]+/g, ' ')
  }

  #openRole(name: string, parent: string | undefined): void {
    const role = ROLES.get(name)
    if (role === undefined || this.#series === undefined) return
    // The text of a label has the same element as the name of the series.
    if (role === 'name' && parent !== 'c:ser' && parent !== 'cx:series') return
    this.#levels = this.#series[role]
  }

  #openLevel(code: string): void {
    this.#format = code
    if (this.#levels !== undefined && this.#levels.length < MAX_LEVELS) this.#levels.push(new Map())
  }

  #closeValue(): void {
    const text = this.#shown(this.#value.trim())
    this.#value = ''
    if (text === '') return
    if (this.#levels === undefined) {
      this.#addLabel(text)
      return
    }
    if (this.#points >= MAX_POINTS) {
      this.isCut = true
      return
    }
    this.#points += 1
    if (this.#levels.length === 0) this.#levels.push(new Map())
    const level = this.#levels.at(-1)
    level?.set(Number.isSafeInteger(this.#index) && this.#index >= 0 ? this.#index : level.size, text)
    this.#index = Number.NaN
  }

  /** Dates are numbers in the file. Other numbers stay as they are, with the fifteen digits that Office keeps. */
  #shown(value: string): string {
    const number = Number(value)
    const isNumber = this.#path.some((name) => name.includes(':num'))
    if (!isNumber || value === '' || !Number.isFinite(number)) return value.replaceAll(/\s+/g, ' ')
    const isDate = this.#numbers.isDate(this.#format)
    return isDate ? this.#numbers.show(number, this.#format, this.#startsIn1904) : generalNumber(number)
  }

  #endParagraph(): void {
    const text = this.#paragraph.trim()
    this.#paragraph = ''
    if (text !== '') this.out.add(text)
  }

  /** Adds a text outside a series, such as a title that refers to a cell. A damaged chart repeats its labels. */
  #addLabel(text: string): void {
    if (this.#path.at(-2)?.includes(':str') !== true && !this.#path.some((name) => name.endsWith(':title'))) return
    if (this.#labels.has(text)) return
    this.#labels.add(text)
    this.out.add(text)
  }

  #addSeries(): void {
    if (this.#series !== undefined) this.#add(this.#series)
  }

  #add({ name, categories, x, values, sizes, labels }: Series): void {
    this.#table.add({
      name: [...(name[0]?.values() ?? [])].join(' '),
      // The innermost level is the first in the file.
      levels: (categories.length > 0 ? categories : x).toReversed(),
      areNumbers: categories.length === 0 && x.length > 0,
      values: values[0] ?? new Map(),
      sizes: sizes[0],
      labels: labels[0],
    })
  }

  #finish(): void {
    this.#endParagraph()
    for (const [at, series] of this.#later.entries()) this.#add({ ...series, name: this.#laterNames[at] ?? [] })
    this.#table.write()
  }
}

function newSeries(): Series {
  return { name: [], categories: [], x: [], values: [], sizes: [], labels: [] }
}

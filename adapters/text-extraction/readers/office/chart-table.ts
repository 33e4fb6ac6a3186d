import type { Blocks } from '../docx/docx-blocks.js'
import { SHORT_CHARACTERS } from '../headed-rows.js'
import { RepeatedTexts } from '../repeated-texts.js'
import { TableRows } from '../table-rows.js'

/** Texts by the index of their point. */
export type Points = Map<number, string>

/** A series of a chart. */
interface ChartSeries {
  readonly name: string
  /** The labels of the points, the outermost level first. A label of an outer level counts until the next one. */
  readonly levels: readonly Points[]
  /** True if the labels are the numbers of an axis. */
  readonly areNumbers: boolean
  readonly values: Points
  readonly sizes: Points | undefined
  readonly labels: Points | undefined
}

interface PlacedText {
  readonly column: number
  readonly text: string
}

/** Characters of labels that any chart may repeat. */
const FREE_REPEATED_CHARACTERS = 65_536

/** Writes the series of a chart as tables. Series with the same labels are columns of one table. */
export class ChartTable {
  readonly #tables = new Map<string, ChartSeries[]>()
  readonly #repeated = new RepeatedTexts(FREE_REPEATED_CHARACTERS)

  constructor(private readonly out: Blocks) {}

  add(series: ChartSeries): void {
    const levels = series.levels.map((level) => [...level].join('\u0001')).join('\u0002')
    const key = `${series.areNumbers} ${levels}`
    const table = this.#tables.get(key)
    if (table === undefined) this.#tables.set(key, [series])
    else table.push(series)
  }

  write(): void {
    for (const table of this.#tables.values()) this.#writeTable(table)
    this.#tables.clear()
  }

  #writeTable(table: readonly ChartSeries[]): void {
    const { levels = [], areNumbers = false } = table[0] ?? {}
    const columns = [
      ...levels.map((points) => ({ name: areNumbers ? 'x' : '', points })),
      ...table.flatMap(({ name, values, sizes, labels }) => [
        { name, points: values },
        ...(sizes === undefined ? [] : [{ name: 'size', points: sizes }]),
        ...(labels === undefined ? [] : [{ name: '', points: labels }]),
      ]),
    ]
    const names = columns.map(({ name }) => name)
    const rows = new TableRows()
    rows.useNames(names)
    const header = rows.plainLine(table.map(({ name }) => name))
    if (header !== '') this.out.add(header)
    // Most columns of a row may be empty.
    const cells = new Map<number, PlacedText[]>()
    for (const [column, { points }] of columns.entries()) {
      for (const [index, text] of points) {
        const row = cells.get(index)
        if (row === undefined) cells.set(index, [{ column, text }])
        else row.push({ column, text })
      }
    }
    const outer: string[] = levels.slice(0, -1).map(() => '')
    for (const [, row] of [...cells].sort(([first], [second]) => first - second)) {
      const whole = this.#withOuter(outer, row)
      this.out.add(
        rows.line(
          whole.map(({ text }) => text),
          whole.map(({ column }) => column),
        ),
      )
    }
  }

  /** Adds the labels of outer levels that a row before began. */
  #withOuter(outer: string[], row: readonly PlacedText[]): readonly PlacedText[] {
    if (outer.length === 0) return row
    for (const { text } of row) this.#repeated.earn(text)
    const own = new Map(row.map(({ column, text }) => [column, text]))
    const labels = outer.map((before, column) => {
      const text = own.get(column)
      if (text === undefined) return { column, text: this.#repeated.take(before) ? before : '' }
      outer[column] = text.length > SHORT_CHARACTERS ? '' : text
      return { column, text }
    })
    return [...labels, ...row.filter(({ column }) => column >= outer.length)]
  }
}

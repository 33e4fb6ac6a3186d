import { KeptBlocks } from '../docx/docx-blocks.js'
import { type DocxPackage, keyOf } from '../docx/docx-package.js'
import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'
import { textMayBeMissing } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'
import { MathText } from './math-text.js'
import { OdfChart } from './odf-chart.js'
import { passDamage, walkOdf } from './odf-file.js'
import { OdfWalker } from './odf-walker.js'

const MAX_OBJECTS = 1_000
const OBJECT = /^(.+)\/content\.xml$/

/** The formulas and charts that a document embeds, by the keys of their folders. */
export class OdfObjects {
  readonly #formulas = new Map<string, string>()
  readonly #charts = new Map<string, readonly string[]>()

  /** Reads them all: a document refers to them within its text. */
  static async read(file: DocxPackage, warnings: ReaderWarning[]): Promise<OdfObjects> {
    const objects = new OdfObjects()
    const folders = [...file.names()].flatMap((name) => OBJECT.exec(name)?.[1] ?? []).slice(0, MAX_OBJECTS)
    for (const folder of folders) {
      const part = `${folder}/content.xml`
      const object = new EmbeddedObject()
      try {
        await walkOdf(file, part, object)
      } catch (error) {
        passDamage(error)
        warnings.push(textMayBeMissing(`${part} is damaged`))
      }
      if (object.formula !== '') objects.#formulas.set(folder, object.formula)
      if (object.lines.length > 0) objects.#charts.set(folder, object.lines)
    }
    return objects
  }

  /** Takes a formula in one line: a hostile file may name one again and again. @returns '' if the reference names none */
  takeFormula(reference: string | undefined): string {
    const key = keyOf(reference ?? '')
    const formula = this.#formulas.get(key) ?? ''
    this.#formulas.delete(key)
    return formula
  }

  /** Takes the lines of a chart, as {@link takeFormula}. */
  takeChart(reference: string | undefined): readonly string[] {
    const key = keyOf(reference ?? '')
    const lines = this.#charts.get(key) ?? []
    this.#charts.delete(key)
    return lines
  }
}

/** An embedded part by its outermost element. Documents of other kinds are not read. */
class EmbeddedObject implements XmlVisitor {
  readonly #math = new MathText()
  readonly #blocks = new KeptBlocks()
  readonly #chart = new OdfWalker(new OdfChart(this.#blocks))
  #depth = 0
  #isMath = false
  #isChart = false

  get formula(): string {
    return this.#isMath ? this.#math.formula : ''
  }

  get lines(): readonly string[] {
    return this.#isChart ? this.#blocks.paragraphs : []
  }

  open(name: string, attribute: Attributes): void {
    if (this.#depth === 0) this.#isMath = /(?:^|:)math$/.test(name)
    if (name === 'office:chart') this.#isChart = true
    this.#depth += 1
    if (this.#isMath) this.#math.open()
    else if (this.#isChart) this.#chart.open(name, attribute)
  }

  close(name: string): void {
    this.#depth -= 1
    if (this.#isMath) this.#math.close(name)
    else if (this.#isChart) this.#chart.close(name)
    if (name === 'office:chart') this.#depth = Number.POSITIVE_INFINITY
  }

  text(text: string): void {
    if (this.#isMath) this.#math.text(text)
    else if (this.#isChart) this.#chart.text(text)
  }
}

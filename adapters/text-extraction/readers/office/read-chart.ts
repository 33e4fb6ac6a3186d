import type { Blocks } from '../docx/docx-blocks.js'
import { DamagedPartError, type DocxPackage } from '../docx/docx-package.js'
import type { XmlVisitor } from '../docx/docx-xml.js'
import { textMayBeMissing } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'
import { walk } from './office-file.js'

/** Adds the titles and the table of a chart. */
export async function readChart(
  file: DocxPackage,
  part: string,
  out: Blocks,
  warnings: ReaderWarning[],
): Promise<void> {
  // The formats of its dates need a large library.
  const { ChartText } = await import('./chart-text.js')
  const chart = new ChartText(out, file)
  await readInto(file, part, chart, warnings)
  if (chart.isCut) warnings.push(textMayBeMissing(`${part} has too many points`))
}

/** Walks over a part. A damaged one loses only its own text. */
export async function readInto(
  file: DocxPackage,
  part: string,
  visitor: XmlVisitor,
  warnings: ReaderWarning[],
): Promise<void> {
  try {
    await walk(file, part, visitor)
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    warnings.push(textMayBeMissing(error.message))
  }
}

import type { DocxPackage } from './docx-package.js'
import { walkXml } from './docx-xml.js'

/** @returns a function that is true for the ids of heading styles, in all languages of Word */
export async function headingStyles(file: DocxPackage, part: string | undefined): Promise<(style: string) => boolean> {
  const headings = new Set<string>()
  let style = ''
  const visitor = {
    open(element: string, attribute: (name: string) => string | undefined): void {
      const value = attribute('val') ?? ''
      if (element === 'w:style') style = attribute('styleId') ?? ''
      else if (element === 'w:name' && /^(heading \d|title)$/i.test(value)) headings.add(style)
      else if (element === 'w:outlineLvl' && value !== '9') headings.add(style)
    },
    close: () => undefined,
    text: () => undefined,
  }
  try {
    if (part !== undefined) for await (const _ of walkXml(file.bytes(part), visitor, part));
  } catch {
    // Without its styles a document has the same text.
  }
  return (name) => headings.has(name) || /^(heading\d|title)$/i.test(name)
}

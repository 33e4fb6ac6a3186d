import { writeFile } from 'node:fs/promises'
import { line, pdfOf } from '../../test/fixtures/pdf-builder.js'
import { longText, sampleTexts } from '../harness/sample-texts.js'

const LINES_PER_PAGE = 48
const CHARACTERS_PER_LINE = 80

/** Writes a text with this number of characters. Nearly all of them have one byte. */
export async function writeText(path: string, characters: number): Promise<void> {
  await writeFile(path, longText(characters))
}

/** Writes a PDF with this number of full pages. */
export async function writePdf(path: string, pages: number): Promise<void> {
  const printable = sampleTexts()
    .join(' ')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
  const sentences = printable.match(new RegExp(`.{1,${CHARACTERS_PER_LINE}}`, 'g')) ?? []
  const content = (page: number): string =>
    Array.from({ length: LINES_PER_PAGE }, (_, at) => {
      const sentence = sentences[(page * LINES_PER_PAGE + at) % sentences.length] ?? ''
      // The page number makes each page unique.
      return line(40, 750 - at * 14, at === 0 ? `${page} ${sentence}` : sentence, 'F1', 10)
    }).join('')
  await writeFile(path, pdfOf({ pages: Array.from({ length: pages }, (_, page) => ({ content: content(page) })) }))
}

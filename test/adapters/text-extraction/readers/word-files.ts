import { utils, write } from 'cfb'
import { afterAll, beforeAll } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'

let extractor: WorkerTextExtractor

/** Every test file that extracts Word must call this: test files may share a process, and so this module. */
export function useWordExtractor(): void {
  beforeAll(() => {
    extractor = new WorkerTextExtractor()
  })
  afterAll(async () => {
    await extractor.close()
  })
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const NAMESPACES = [
  `xmlns:w="${W}"`,
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
].join(' ')
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** XML of a part: its outermost element with the usual namespaces. */
export function part(element: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><w:${element} ${NAMESPACES}>${content}</w:${element}>`
}

/** A paragraph of one run. */
export function paragraph(text: string, properties = ''): string {
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

/** A table of cells; each is a text, or XML. */
export function table(rows: readonly (readonly string[])[]): string {
  const cell = (content: string): string => `<w:tc>${content.startsWith('<') ? content : paragraph(content)}</w:tc>`
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`
}

/**
 * A .docx.
 * @param body of the main document
 * @param others XML of other parts by their names; `header1.xml` is related as a header, and so on
 */
export function docx(body: string, others: Readonly<Record<string, string | Buffer>> = {}): Buffer {
  const related = Object.keys(others).map(
    (name) => `<Relationship Id="${name}" Type="${RELATIONSHIPS}/${name.replace(/\d*\.\w+$/, '')}" Target="${name}"/>`,
  )
  const parts: Record<string, string | Buffer> = {
    'word/document.xml': part('document', `<w:body>${body}</w:body>`),
    '_rels/.rels': relationships(
      `<Relationship Id="a" Type="${RELATIONSHIPS}/officeDocument" Target="word/document.xml"/>`,
    ),
    'word/_rels/document.xml.rels': relationships(related.join('')),
  }
  for (const [name, content] of Object.entries(others)) parts[`word/${name}`] = content
  return zip(parts)
}

export function zip(parts: Readonly<Record<string, string | Buffer>>): Buffer {
  const container = utils.cfb_new()
  utils.cfb_del(container, '\u0001Sh33tJ5')
  for (const [name, content] of Object.entries(parts)) utils.cfb_add(container, `/${name}`, Buffer.from(content))
  return write(container, { type: 'buffer', fileType: 'zip', compression: true }) as Buffer
}

function relationships(content: string): string {
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`
}

/** The text and the warnings of a Word file. */
export async function extractWord(fileName: string, bytes: Buffer): Promise<Extracted> {
  return await extracted(extractor, sourceOf(fileName, bytes))
}

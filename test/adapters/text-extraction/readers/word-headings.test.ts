import { describe, expect, it } from 'vitest'
import type { Extracted } from '../../../extracted.js'
import { doc, property } from './word-doc-files.js'
import { docx, extractWord, paragraph, part, table, useWordExtractor } from './word-files.js'

useWordExtractor()

/** Each heading with its level, and the text at its mark. */
function headingsOf({ pieces }: Extracted): string[] {
  return pieces.flatMap(({ text, marks = [] }) =>
    marks.flatMap((mark) => {
      if (!('heading' in mark)) return []
      expect(text.slice(mark.at).startsWith(mark.heading)).toBe(true)
      return [`${mark.level} ${mark.heading}`]
    }),
  )
}

describe('the headings of a .docx', () => {
  const style = (id: string, content: string): string => `<w:style w:styleId="${id}">${content}</w:style>`
  const styles = part(
    'styles',
    [
      style('berschrift1', '<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
      style('Kapitel', '<w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/>'),
      style(
        'Abschnitt',
        '<w:name w:val="Abschnitt"/><w:basedOn w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr>',
      ),
      style('Plain', '<w:name w:val="Plain"/><w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
      style('S4', '<w:name w:val="Überschrift 4"/>'),
      style('A', '<w:name w:val="A"/><w:basedOn w:val="B"/>'),
      style('B', '<w:name w:val="B"/><w:basedOn w:val="A"/>'),
    ].join(''),
  )
  const styled = (id: string, text: string): string => paragraph(text, `<w:pStyle w:val="${id}"/>`)

  it('are the paragraphs with heading styles, also through other styles and in other languages', async () => {
    const body = [
      styled('berschrift1', 'One'),
      paragraph('text'),
      styled('Kapitel', 'Two'),
      styled('Abschnitt', 'Three'),
      styled('Plain', 'no heading'),
      styled('S4', 'Four'),
      styled('A', 'a circle'),
      styled('Heading2', 'Five'),
      paragraph('Six', '<w:outlineLvl w:val="5"/>'),
      paragraph('text', '<w:pStyle w:val="Kapitel"/><w:outlineLvl w:val="9"/>'),
      styled('Kapitel', ''),
    ].join('')
    expect(headingsOf(await extractWord('a.docx', docx(body, { 'styles.xml': styles })))).toEqual([
      '1 One',
      '1 Two',
      '3 Three',
      '4 Four',
      '2 Five',
      '6 Six',
    ])
  })

  it('are not the cells of tables', async () => {
    const body = table([
      [styled('Heading1', 'cell'), 'b'],
      ['c', 'd'],
    ])
    expect(headingsOf(await extractWord('a.docx', docx(body)))).toEqual([])
  })
})

describe('the headings of a .doc', () => {
  it('are the paragraphs with heading styles, or with a level of the outline', async () => {
    const body = 'Title\rtext\rSub\rOutline\rtext\r'
    const run = (text: string, styleNumber: number, properties: Buffer = Buffer.alloc(0)) => {
      const from = body.indexOf(text)
      return { from, to: from + text.length, properties, style: styleNumber }
    }
    const paragraphs = [run('Title\r', 1), run('text\r', 0), run('Sub\r', 3), run('Outline\r', 0, property(0x2640, 4))]
    expect(headingsOf(await extractWord('a.doc', doc({ body, paragraphs })))).toEqual(['1 Title', '3 Sub', '5 Outline'])
  })
})

import { describe, expect, it } from 'vitest'
import { docx, extractWord, paragraph, part, table, useWordExtractor } from './word-files.js'

useWordExtractor()

/** A level of a list. */
function level(at: number, numberFormat: string, text: string, others = ''): string {
  return `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${numberFormat}"/>${others}<w:lvlText w:val="${text}"/></w:lvl>`
}

/** A list 1 of levels; `others` are further lists. */
function numbering(levels: string, others = ''): string {
  return part(
    'numbering',
    `<w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>${others}`,
  )
}

function item(text: string, at = 0, list = 1): string {
  return paragraph(text, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`)
}

async function linesOf(body: string, lists: string, styles = ''): Promise<readonly string[]> {
  const others = { 'numbering.xml': lists, 'styles1.xml': part('styles', styles) }
  const { text } = await extractWord('a.docx', docx(body, others))
  return text.split('\n').filter((line) => line !== '')
}

const CLAUSES =
  level(0, 'decimal', '%1.') +
  level(1, 'decimal', '%1.%2') +
  level(2, 'lowerLetter', '(%3)') +
  level(3, 'lowerRoman', '%4)')

describe('the automatic numbers of a .docx', () => {
  it('count each level, and begin again below an outer one', async () => {
    const body = [
      item('Scope'),
      item('Place', 1),
      item('floor', 2),
      item('cellar', 2),
      paragraph('not numbered'),
      item('Time', 1),
      item('year', 2),
      item('May', 3),
      item('Liability'),
      item('Storms', 1),
    ]
    expect(await linesOf(body.join(''), numbering(CLAUSES))).toEqual([
      '1. Scope',
      '1.1 Place',
      '(a) floor',
      '(b) cellar',
      'not numbered',
      '1.2 Time',
      '(a) year',
      'i) May',
      '2. Liability',
      '2.1 Storms',
    ])
  })

  it('go on in another list of the same kind, unless it begins with a number of its own', async () => {
    const again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    const roman = `<w:lvlOverride w:ilvl="0">${level(0, 'upperRoman', '%1)')}</w:lvlOverride>`
    const list = (id: number, content: string): string =>
      `<w:num w:numId="${id}"><w:abstractNumId w:val="0"/>${content}</w:num>`
    const body = item('a') + item('b', 0, 2) + item('c', 0, 3) + item('d', 0, 3) + item('e', 0, 4)
    const lists = numbering(CLAUSES, list(2, '') + list(3, again) + list(4, roman))
    expect(await linesOf(body, lists)).toEqual(['1. a', '2. b', '7. c', '8. d', 'IX) e'])
  })

  it('restart as the level says, and are digits in legal levels', async () => {
    const levels =
      level(0, 'upperRoman', 'Article %1') +
      level(1, 'decimal', '%1.%2', '<w:isLgl/><w:lvlRestart w:val="0"/>') +
      level(2, 'decimal', '%1.%2.%3', '<w:isLgl/>')
    const body = item('A') + item('B', 1) + item('C', 2) + item('D') + item('E', 1) + item('F', 2)
    expect(await linesOf(body, numbering(levels))).toEqual([
      'Article I A',
      '1.1 B',
      '1.1.1 C',
      'Article II D',
      '2.2 E',
      '2.2.1 F',
    ])
  })

  it('come from the style of a paragraph, by the level that the list has for the style', async () => {
    const levels =
      level(0, 'decimal', '%1', '<w:pStyle w:val="H1"/>') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>')
    const style = (id: string, name: string, based: string, properties: string): string =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${based}<w:pPr>${properties}</w:pPr></w:style>`
    const inList = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    const styles =
      style('H1', 'heading 1', '', inList) +
      style('H2', 'heading 2', '', inList) +
      style('Own', 'Own', '<w:basedOn w:val="H2"/>', '')
    const of = (id: string, text: string, more = ''): string => paragraph(text, `<w:pStyle w:val="${id}"/>${more}`)
    const none = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    const body = of('H1', 'One') + of('H2', 'Two') + of('Own', 'Three') + of('H1', 'Plain', none) + of('H1', 'Four')
    expect(await linesOf(body, numbering(levels), styles)).toEqual(['1 One', '1.1 Two', '1.2 Three', 'Plain', '2 Four'])
  })

  it('are those of a list that a style names', async () => {
    const lists = part(
      'numbering',
      `<w:abstractNum w:abstractNumId="0"><w:styleLink w:val="Legal"/>${CLAUSES}</w:abstractNum>
       <w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Legal"/></w:abstractNum>
       <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`,
    )
    expect(await linesOf(item('a') + item('b', 1), lists)).toEqual(['1. a', '1.1 b'])
  })

  it.each([
    ['decimalZero', ['01', '02', '03']],
    ['upperLetter', ['A', 'B', 'C']],
    ['ordinal', ['1st', '2nd', '3rd']],
    ['cardinalText', ['One', 'Two', 'Three']],
    ['ordinalText', ['First', 'Second', 'Third']],
    ['chineseCountingThousand', ['一', '二', '三']],
    ['ideographTraditional', ['甲', '乙', '丙']],
    ['decimalEnclosedCircle', ['①', '②', '③']],
    ['russianLower', ['а', 'б', 'в']],
    ['chicago', ['*', '†', '‡']],
    ['ofAnotherWorld', ['1', '2', '3']],
    ['constructor', ['1', '2', '3']],
  ])('are written as %s', async (numberFormat, expected) => {
    const body = expected.map((_, at) => item(`line ${at}`)).join('')
    const lines = await linesOf(body, numbering(level(0, numberFormat, '%1')))
    expect(lines).toEqual(expected.map((number, at) => `${number} line ${at}`))
  })

  it('of large numbers stay readable', async () => {
    const start = (list: number, format: string, value: number): string =>
      `<w:abstractNum w:abstractNumId="${list}"><w:lvl w:ilvl="0"><w:start w:val="${value}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum><w:num w:numId="${list}"><w:abstractNumId w:val="${list}"/></w:num>`
    const all: readonly (readonly [string, number, string])[] = [
      ['lowerLetter', 28, 'bb'],
      ['upperRoman', 1994, 'MCMXCIV'],
      ['ordinal', 112, '112th'],
      ['ordinalText', 121, 'One hundred twenty-first'],
      ['chineseCounting', 305, '三百零五'],
      ['japaneseCounting', 12, '十二'],
      ['japaneseCounting', 1110, '千百十'],
      ['chineseCounting', 110, '一百一十'],
      ['chineseLegalSimplified', 10, '壹拾'],
      ['ideographLegalTraditional', 15, '壹拾伍'],
      ['japaneseLegal', 10, '壱拾'],
      ['lowerLetter', 2_000_000_000, '2000000000'],
      ['lowerRoman', 2_000_000_000, '2000000000'],
    ]
    const lists = part('numbering', all.map(([format, value], at) => start(at + 1, format, value)).join(''))
    const lines = await linesOf(all.map((_, at) => item('x', 0, at + 1)).join(''), lists)
    expect(lines).toEqual(all.map(([, , text]) => `${text} x`))
  })

  it('are not written for bullets, hidden numbers, deleted and empty paragraphs', async () => {
    const levels =
      level(0, 'decimal', '%1.') + level(1, 'bullet', 'o') + level(2, 'decimal', '%3', '<w:rPr><w:vanish/></w:rPr>')
    const deleted = paragraph('', '<w:numPr><w:numId w:val="1"/></w:numPr><w:rPr><w:del/></w:rPr>')
    const body = item('one') + item('bullet', 1) + item('hidden', 2) + deleted + item('') + item('three')
    expect(await linesOf(body, numbering(levels))).toEqual(['1. one', 'bullet', 'hidden', '3. three'])
  })

  it('are the cells of a table without other text', async () => {
    const body = table([
      ['No.', 'City'],
      [item(''), 'Oslo'],
      [item(''), 'Rome'],
    ])
    expect(await linesOf(body, numbering(level(0, 'decimal', '%1')))).toEqual([
      'No.; City',
      'No.: 1; City: Oslo',
      'No.: 2; City: Rome',
    ])
  })

  it('are missing with a warning if their part is damaged', async () => {
    const { text, warnings } = await extractWord('a.docx', docx(item('text'), { 'numbering.xml': '<w:numbering' }))
    expect(text).toBe('text')
    expect(warnings).toEqual(['word/numbering.xml is damaged: some of its text may be missing'])
  })
})

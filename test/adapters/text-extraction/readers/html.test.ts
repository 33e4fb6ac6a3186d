import iconv from 'iconv-lite'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { marksOf } from '../lines-at-marks.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(page: string | Buffer, bytesPerPull = 65_536): Promise<Extracted> {
  return await extracted(extractor, sourceOf('a.html', Buffer.from(page), bytesPerPull))
}

async function textOf(page: string | Buffer): Promise<string> {
  return (await extract(page)).text
}

const MEGABYTE = 1_048_576

describe('a web page', () => {
  const page = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Caf&eacute;
 Rio</title><style>p { color: red }</style><script>if (a < b) alert("no")</script></head>
<body><nav><a href="/">Home</a> <a href="/menu">Menu</a></nav>
<h1>Opening <em>hours</em></h1>
<p>We are open&nbsp;from 9&nbsp;am,<br>except on <b>Sun</b>days.   See <img src="a.png" alt="our map">.</p>
<!-- a comment --><noscript>Switch on JavaScript</noscript><template>never</template>
<h2>Prices</h2>
<ul><li>Tea: 2 &euro;<li><p>Coffee</p><ol start="3"><li>black</li><li>with milk</li></ol></ul>
<div>one</div><div>two<div>three</div></div>
<div hidden>hidden <div>deeper</div> still</div><span style="DISPLAY: none">invisible</span>
<pre>  a
    b</pre>
</body></html>`

  it('is read as a reader sees it, with headings as marks', async () => {
    for (const bytesPerPull of [1, 7, 65_536]) {
      const read = await extract(page, bytesPerPull)
      expect(read.text).toBe(
        [
          'Café Rio',
          '',
          'Home Menu',
          '',
          'Opening hours',
          '',
          'We are open from 9 am,\nexcept on Sundays. See our map.',
          '',
          'Prices',
          '',
          '- Tea: 2 €',
          '- Coffee',
          '3. black',
          '4. with milk',
          '',
          'one',
          'two',
          'three',
          '',
          '  a\n    b',
        ].join('\n'),
      )
      expect(marksOf(read)).toEqual([
        ['Café Rio', { heading: 'Café Rio', level: 1 }],
        ['Opening hours', { heading: 'Opening hours', level: 1 }],
        ['Prices', { heading: 'Prices', level: 2 }],
      ])
    }
  })

  it.each([
    [
      'a table with headers',
      '<table><tr><th>City<th>Country<tr><td>Oslo<td>Norway<tr><td>Rome<td>Italy</table>',
      'City; Country\nCity: Oslo; Country: Norway\nCity: Rome; Country: Italy',
    ],
    [
      'merged cells',
      `<table><thead><tr><td rowspan=2>Team<td colspan=2>Score</tr><tr><td>home<td>away</tr></thead>
      <tr><td rowspan=2>Red<td>1<td>2<tr><td>3<td>4</table>`,
      'Team; Score\nTeam; home; away\nTeam: Red; Score home: 1; Score away: 2\nTeam: Red; Score home: 3; Score away: 4',
    ],
    [
      'a table that serves the layout',
      '<table><tr><td><h2>News</h2><p>First.</p><td><p>Aside.</p></table>',
      'News\n\nFirst.\nAside.',
    ],
    [
      'a table in a table',
      '<table><tr><td>a<td>b<tr><td>1<td><table><tr><td>x<td>y<tr><td>7<td>8</table></table>',
      'a; b\na: 1; b: x; y x: 7; y: 8',
    ],
    ['ruby', '<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>', '漢(kan)'],
    ['soft hyphens', '<p>Donau&shy;dampf&#173;schiff</p>', 'Donaudampfschiff'],
    ['text without elements', 'just text &amp; more', 'just text & more'],
    ['tags that are not closed', '<p>a<p>b<ul><li>c', 'a\n\nb\n\n- c'],
    ['an end without a beginning', '</table></ul></div>a</p></h1>b', 'a\n\nb'],
    [
      'the text in the place of an object',
      '<p>a</p><object data="x.swf"><param name=b>Instead</object>',
      'a\n\nInstead',
    ],
    ['labels of a drawing', '<svg><text x=1>North</text><text x=2>South</text></svg>', 'North\nSouth'],
    [
      'text after a hidden element without end, from the end of its cell on',
      '<table><tr><td><div style="display:none">secret</td><td>shown<td><span hidden>secret<td>too</tr></table><p>after',
      'shown\ntoo\n\nafter',
    ],
    [
      'text after a hidden element without end, from the end of its section on',
      '<div><section><div hidden>secret<p>secret</p></section>shown</div><template><div>secret</template>too',
      'shown\ntoo',
    ],
    [
      'nothing of a hidden element with tables and ends without a beginning',
      '<div>a<div hidden><table><tr><td>secret</table></section></td>secret</div>b</div>',
      'ab',
    ],
    [
      'nothing of a hidden table after the end of an element around it',
      '<div>a<table style="display:none"><tr><td>x</div>secret</td></tr></table>b</div>',
      'ab',
    ],
    ['nothing of a hidden element in a form that ends', '<form>a<div hidden>x</form>secret</div>b', 'ab'],
    [
      'nothing of a hidden element after a table of cells without end',
      '<table><tr><td>a</table><div hidden><tr><td>secret</div>b',
      'a\n\nb',
    ],
    [
      'text after a hidden element in a cell behind a table in that cell',
      '<table><tr><td><table><tr><td>a</table><div hidden>secret<tr><td>b</table>',
      'a\nb',
    ],
    ['a numeral alone', '<p>5.</p><p>-</p>', '5.\n\n-'],
    ['signs that are no tags', '<p>1 < 2 & 3 > 2</p>', '1 < 2 & 3 > 2'],
  ])('keeps %s', async (_what, page, text) => {
    expect(await textOf(page)).toBe(text)
  })

  it.each([
    ['windows-1251', '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', 'Привет, мир'],
    ['shift_jis', '<meta charset="Shift_JIS">', '日本語'],
    ['iso-8859-2', '<?xml version="1.0" encoding="ISO-8859-2"?>', 'Łódź'],
    ['utf-16le', '\uFEFF<meta charset="utf-8">', 'Łódź'],
    ['utf-8', '<meta charset="iso-8859-1">', 'Łódź in UTF-8 that says something else'],
  ])('is decoded as it says, unless it is Unicode: %s', async (charset, declaration, text) => {
    const bytes = iconv.encode(`${declaration}<p>${text}</p>`, charset)
    const read = await extract(bytes)
    expect(read.text).toBe(text)
    expect(read.warnings).toEqual([])
  })

  it('is decoded as it says behind a long head', async () => {
    const page = `<style>${'p { color: red }\n'.repeat(1_000)}</style><meta charset="cp1251"><p>Заседание совета</p>`
    expect((await extract(iconv.encode(page, 'windows-1251'))).text).toBe('Заседание совета')
  })

  it('that is XHTML may have elements that close themselves', async () => {
    const page =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a"/></head>'
    expect(await textOf(`${page}<body><p>a<![CDATA[ <b> ]]></p></body></html>`)).toBe('a <b>')
  })

  it.each(['<html><body><script>x</script></body></html>', '<!-- only a comment -->', '<p> &nbsp; </p>'])(
    'without text is rejected: %s',
    async (page) => {
      await expect(extract(page)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    },
  )
})

// U11
describe('a hostile page', () => {
  it('of a million nested elements is read in time', async () => {
    for (const name of ['div', 'table><tr><td', 'ul><li', 'svg', 'template', 'b hidden']) {
      const count = name === 'div' ? 1_000_000 : 200_000
      expect((await extract(`<p>before</p>${`<${name}>`.repeat(count)}end`, MEGABYTE)).text).toMatch(/^before/)
    }
  })

  it('with a paragraph, a cell or a heading of 4 MB is read in pieces', async () => {
    for (const [open, close] of [
      ['<p>', '</p>'],
      ['<h1>', '</h1>'],
      ['<title>', '</title>'],
      ['<pre>', '</pre>'],
      ['<table><tr><td>a</td><td>', '</td></tr></table>'],
      ['<table><tr><td>a</td></tr></table><table><tr><td>', ''],
    ] as const) {
      const read = await extract(`${open}${'word &amp; '.repeat(400_000)}${close}<p>end</p>`, MEGABYTE)
      expect(read.text.match(/word/g)).toHaveLength(400_000)
      expect(read.text.endsWith('end')).toBe(true)
      for (const { text } of read.pieces) expect(text.length).toBeLessThan(200_000)
    }
  })

  it('of 100,000 tags that are no declaration of a charset is read in time', async () => {
    const page = Buffer.concat([Buffer.from('<meta '.repeat(100_000)), Buffer.from([0xe9]), Buffer.from('><p>end')])
    expect(await textOf(page)).toMatch(/end$/)
  })

  it('of 200,000 blanks in a declaration of a charset is read in time', async () => {
    const began = performance.now()
    for (const start of ['<meta charset=', '<meta charset', '<?xml version="1.0" encoding=', '<meta charset="']) {
      const page = Buffer.concat([
        Buffer.from(`${start}${' '.repeat(200_000)}>`),
        Buffer.from([0xe9]),
        Buffer.from('<p>end'),
      ])
      await textOf(page).catch(() => '')
    }
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('with an embedded picture of 30 MB is read', async () => {
    const picture = `<img alt="a chart" src="data:image/png;base64,${'A'.repeat(30_000_000)}">`
    expect(await textOf(`<p>before ${picture} after</p>`)).toBe('before a chart after')
  })

  it.each([
    ['a comment that never ends', '<!--'],
    ['a tag that never ends', '<div class="'],
    ['a script that never ends', '<script>'],
    ['an entity that never ends', '&#x'],
    ['a name without end', '<a'],
  ])('keeps the text before %s', async (_what, rest) => {
    expect(await textOf(`<p>before</p>${rest}${'1'.repeat(5_000_000)}`)).toMatch(/^before/)
  })

  it('with a table of a million cells in one row, or of wide merged cells, is read in time', async () => {
    const row = `<table><tr>${'<td>x'.repeat(300_000)}</table>`
    const wide = `<table>${'<tr><td colspan=1000 rowspan=65534>x<td>y'.repeat(2_000)}</table>`
    for (const page of [row, wide]) expect((await extract(`${page}<p>end`, MEGABYTE)).text.endsWith('end')).toBe(true)
  })

  it('of comments is identified at once', async () => {
    const bytes = Buffer.from('<!---->'.repeat(585))
    const began = performance.now()
    await extractor.identify('a.html', bytes)
    await expect(extractor.identify('a.pdf', bytes)).rejects.toMatchObject({ code: 'ERR_WRONG_TYPE' })
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('with a document type that declares entities expands none', async () => {
    expect(await textOf('<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><p>x &b;</p>')).toContain('x &b;')
  })
})

import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { type Extracted, extracted, sourceOf } from '../../../extracted.js'
import { sized } from '../../../full-form.js'
import { read } from '../hostile/reading.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(name: string, data: string | Buffer, bytesPerPull = 65_536): Promise<Extracted> {
  return await extracted(extractor, sourceOf(name, Buffer.from(data), bytesPerPull))
}

describe('a .json', () => {
  it('is read as lines with the names that lead to each value', async () => {
    const data = {
      name: 'Café "Rio"',
      open: true,
      closed: null,
      empty: '',
      address: { city: 'Oslo', lines: ['Main Street 1', 'Back yard'], geo: { lat: 59.9 } },
      items: [
        { name: 'Tea', price: 2.5 },
        { name: 'Coffee', sizes: [1, 2, [3]] },
      ],
      text: 'two\nlines',
    }
    const lines = [
      'name: Café "Rio"',
      'open: true',
      'address.city: Oslo',
      'address.lines: Main Street 1; Back yard',
      'address.geo.lat: 59.9',
      '',
      'items[0].name: Tea',
      'items[0].price: 2.5',
      '',
      'items[1].name: Coffee',
      'items[1].sizes: 1; 2',
      '',
      'items[1].sizes[2]: 3',
      '',
      'text: two\nlines',
    ]
    for (const json of [JSON.stringify(data), `\uFEFF${JSON.stringify(data, null, '\t')}\r\n`]) {
      for (const bytesPerPull of [1, 3, 65_536]) {
        expect((await extract('a.json', json, bytesPerPull)).text).toBe(lines.join('\n'))
      }
    }
  })

  it.each([
    ['a list of objects', '[{"a":1},{"a":2,"b":"x"}]', 'a: 1\n\na: 2\nb: x'],
    ['a list of texts', '["one","two"]', 'one\ntwo'],
    ['one text', '"just \\u00e9 \\ud83d\\ude42"', 'just é 🙂'],
    ['a number alone', '-12.50e3', '-12.50e3'],
    ['long identifiers', '{"id":12345678901234567890,"x":0.10}', 'id: 12345678901234567890\nx: 0.10'],
    ['values one behind the other', '{"a":1}\n{"a":2}', 'a: 1\n\na: 2'],
    ['names of prototypes', '{"__proto__":{"constructor":1}}', '__proto__.constructor: 1'],
    ['a zero and half a pair', '{"a":"x\\u0000y\\ud800"}', 'a: x\uFFFDy\uFFFD'],
  ])('keeps %s', async (_what, json, text) => {
    expect((await extract('a.json', json)).text).toBe(text)
  })

  it('leaves out NaN and keeps Infinity, as Python writes them, but not in texts', async () => {
    const json = '{"a":NaN,"b":[1,NaN,-Infinity],"c":"NaN \\\\","d":"\\"NaN\\"","e":Infinity}'
    const lines = ['b: 1; -Infinity', 'c: NaN \\', 'd: "NaN"', 'e: Infinity']
    for (const bytesPerPull of [1, 2, 5, 65_536]) {
      expect((await extract('a.json', json, bytesPerPull)).text).toBe(lines.join('\n'))
    }
    expect((await extract('a.jsonl', '{"a":NaN,"b":1}\n{"a":2}\n')).text).toBe('b: 1\n\na: 2')
    expect((await extract('a.json', '[Infinity]')).text).toBe('Infinity')
  })

  it('keeps every text of any data', async () => {
    const word = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((text) => text.trim() !== '')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, word, fc.array(tie('value')), fc.dictionary(word, tie('value'))),
    }))
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 1, max: 50 }), async (data, bytesPerPull) => {
        const texts: string[] = []
        JSON.stringify(data, (_key, item: unknown) => {
          if (typeof item === 'string') texts.push(item)
          return item
        })
        if (texts.length === 0) return
        const { text } = await extract('a.json', JSON.stringify(data), bytesPerPull)
        for (const one of texts) expect(text).toContain(one.trim().replaceAll('\0', '\uFFFD').toWellFormed())
      }),
      { numRuns: sized(20, 200) },
    )
  })

  it.each([
    ['{"a":1', 'ERR_CORRUPT_FILE', 'The file is not valid JSON at a (the end is missing)'],
    ['{"a":{"b":[1,2,}', 'ERR_CORRUPT_FILE', 'at a.b[2] (expected value)'],
    ['{"a":1,}', 'ERR_CORRUPT_FILE', 'expected name'],
    ['{"a" 1}', 'ERR_CORRUPT_FILE', 'expected :'],
    ['[1 2]', 'ERR_CORRUPT_FILE', 'expected , or end'],
    ['{a:1}', 'ERR_CORRUPT_FILE', 'unexpected character'],
    ['[1,Nan]', 'ERR_CORRUPT_FILE', 'unexpected character'],
    ['{"a":Infinit', 'ERR_CORRUPT_FILE', 'unexpected character'],
    ['[1]]', 'ERR_CORRUPT_FILE', 'expected value'],
    ['plain text', 'ERR_CORRUPT_FILE', 'rename it to .txt'],
    ['{"a":"b', 'ERR_CORRUPT_FILE', 'not valid JSON'],
    ['{}', 'ERR_NO_TEXT', 'no text'],
    [
      '<!doctype html><p>',
      'ERR_WRONG_TYPE',
      'The content is HTML, but the name ends with .json: rename the file to .html',
    ],
  ])('that is not valid is refused: %s', async (json, code, message) => {
    expect(await read(extractor, 'a.json', Buffer.from(json))).toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    })
  })
})

describe('a .jsonl', () => {
  it('has a paragraph for each line, and keeps lines that are not JSON', async () => {
    const lines = ['{"a":1,"b":[{"c":2}]}', '', '["x","y"]', 'not JSON', '{"open":', '"text"\r', '7']
    const { text, warnings } = await extract('a.jsonl', lines.join('\n'))
    expect(text).toBe('a: 1\n\nb[0].c: 2\n\nx\ny\n\nnot JSON\n\n{"open":\n\ntext\n\n7')
    expect(warnings).toEqual(['2 lines are not valid JSON: their text is kept unchanged'])
  })

  it('without any line of JSON is refused', async () => {
    expect(await read(extractor, 'a.jsonl', Buffer.from('{\n"a": 1\n'))).toMatchObject({ code: 'ERR_CORRUPT_FILE' })
  })
})

// U11
describe('hostile data', () => {
  it.each([
    ['lists', '['.repeat(1_000_000)],
    ['objects', '{"a":'.repeat(1_000_000)],
  ])('of a million nested %s is refused', async (_what, json) => {
    expect(await read(extractor, 'a.json', Buffer.from(json))).toMatchObject({ code: 'ERR_EXTRACTION_LIMIT' })
    expect(await read(extractor, 'a.jsonl', Buffer.from(json))).toMatchObject({ code: 'ERR_EXTRACTION_LIMIT' })
  })

  it('with a text of 30 MB, a million numbers or very long names is read', async () => {
    const long = await extract('a.json', JSON.stringify({ text: 'word '.repeat(6_000_000), end: 'end' }), 1_048_576)
    expect(long.text.endsWith('end: end')).toBe(true)
    const numbers = await extract('a.json', JSON.stringify({ all: Array.from({ length: 1_000_000 }, (_, at) => at) }))
    expect(numbers.text).toMatch(/; 999999$/)
    expect(numbers.text.length).toBeLessThan(9_000_000)
    const name = 'n'.repeat(1_000)
    const deep = `${`{"${name}":`.repeat(500)}"text"${'}'.repeat(500)}`
    expect((await extract('a.json', deep)).text).toMatch(/^….{200}: text$/)
  })
})

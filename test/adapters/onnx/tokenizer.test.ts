import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseTokenizerFile } from '../../../adapters/onnx/tokenizer-file.js'
import { WordPieceTokenizer } from '../../../adapters/onnx/word-piece-tokenizer.js'
import { bundledModel } from '../../bundled-model.js'
import { sized } from '../../full-form.js'
import { referenceTokens } from '../../reference-tokens.js'
import { heldMemory } from '../../used-memory.js'

const { options } = parseTokenizerFile(readFileSync(join(bundledModel, 'tokenizer.json'), 'utf8'))

describe('the WordPiece tokenizer', () => {
  it.each(referenceTokens.items.map((item, index) => ({ ...item, index })))(
    'agrees with the Rust reference in ids and offsets: text $index',
    ({ text, ids, offsetsUtf16 }) => {
      const encoding = new WordPieceTokenizer({ ...options, longWords: 'unknown' }).encode(text)
      expect([...encoding.ids]).toEqual(ids)
      expect(Array.from(encoding.starts, (start, token) => [start, encoding.ends[token]])).toEqual(offsetsUtf16)
    },
  )

  it('treats marks as the reference does, in every version of Unicode of Node', () => {
    const tokenizer = new WordPieceTokenizer(options)
    // Marks since Unicode 16, 14 and 9, and a character that is no mark any more.
    for (const later of ['\u{1AE5}', '\u{1ACF}', '\u{08E0}', '\u{1E94A}']) {
      expect([...tokenizer.encode(`a ${later} b`).ids]).toEqual([1037, 100, 1038])
    }
    for (const former of ['\u{1734}', '\u{1171E}', '\u{0301}']) {
      expect([...tokenizer.encode(`a ${former} b`).ids]).toEqual([1037, 1038])
    }
  })

  it('cuts a run that the reference would read as one unknown token', () => {
    const tokenizer = new WordPieceTokenizer(options)
    const run = 'antidisestablishmentarianism'.repeat(20)
    const unknown = new WordPieceTokenizer({ ...options, longWords: 'unknown' }).encode(run)
    expect([...unknown.ids]).toEqual([100])
    const { ids } = tokenizer.encode(run)
    expect(ids.length).toBeGreaterThan(100)
    expect(ids).not.toContain(100)
  })

  it('counts decomposed characters: a run of Hangul is cut at 100 letters', () => {
    const tokenizer = new WordPieceTokenizer(options)
    const { count, ends } = tokenizer.split('각'.repeat(90))
    expect(count).toBe(3)
    expect(ends[0]).toBe(33)
  })

  it('reads sanitised texts as the reference does, to the same number of tokens', () => {
    const cutting = new WordPieceTokenizer(options)
    const asReference = new WordPieceTokenizer({ ...options, longWords: 'unknown' })
    const parts = fc.constantFrom(
      'a',
      'Z',
      '9',
      ' ',
      '\n',
      '.',
      '中',
      '각',
      'é',
      'é',
      '👍',
      '\u200b',
      '[SEP]',
      'x'.repeat(60),
      'y'.repeat(25),
      '\ufeff',
      '\u200b'.repeat(300),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), (some) => {
        const text = some.join('')
        expect(asReference.count(cutting.readable(text))).toBe(cutting.count(text))
        expect(cutting.encode(text).ids.length).toBe(cutting.count(text))
      }),
      { numRuns: sized(150, 500) },
    )
  })

  it('uses bounded memory over texts of random words', () => {
    const tokenizer = new WordPieceTokenizer(options)
    const before = heldMemory()
    for (let round = 0; round < sized(120, 300); round += 1) {
      // Words as long as those that share the memory of a text, in texts of some size.
      const words = Array.from({ length: 2_000 }, (_, word) => `word-number${(round * 2_000 + word).toString(36)}.`)
      tokenizer.count(words.join(' '))
    }
    expect(heldMemory() - before).toBeLessThan(60_000_000)
  })
})

describe('a tokenizer.json', () => {
  let file: Record<string, unknown>
  beforeAll(() => {
    file = JSON.parse(readFileSync(join(bundledModel, 'tokenizer.json'), 'utf8')) as Record<string, unknown>
  })

  it('is read without the truncation and padding that it declares', () => {
    expect(file['truncation']).toMatchObject({ max_length: 128 })
    const tokenizer = new WordPieceTokenizer(parseTokenizerFile(JSON.stringify(file)).options)
    expect(tokenizer.count('word '.repeat(1_000))).toBe(1_000)
  })

  it('of another kind is refused with the reason', () => {
    const other = { ...file, model: { type: 'BPE', vocab: {}, merges: [] } }
    expect(() => parseTokenizerFile(JSON.stringify(other))).toThrow(/not BERT WordPiece/)
  })
})

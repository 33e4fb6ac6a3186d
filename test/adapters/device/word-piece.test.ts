import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WordPieceTokenizer } from '../../../adapters/device/word-piece/word-piece-tokenizer.js'
import { bundledModel } from '../../bundled-model.js'
import { sized } from '../../full-form.js'
import { referenceTokens } from '../../reference-tokens.js'
import { heldMemory } from '../../used-memory.js'

const file = readFileSync(join(bundledModel, 'tokenizer.json'))
const tokenizer = await WordPieceTokenizer.open(file)

describe('the WordPiece tokenizer', () => {
  it.each(referenceTokens.items.map((item, index) => ({ ...item, index })))(
    'agrees with the Rust reference in ids and offsets: text $index',
    ({ text, ids, offsetsUtf16 }) => {
      const encoding = tokenizer.encode(text, 'unknown')
      expect([...encoding.ids]).toEqual(ids)
      expect(Array.from(encoding.starts, (start, token) => [start, encoding.ends[token]])).toEqual(offsetsUtf16)
    },
  )

  it('treats marks as the reference does, in every version of Unicode of Node', () => {
    // Marks since Unicode 16, 14 and 9, and a character that is no mark any more.
    for (const later of ['\u{1AE5}', '\u{1ACF}', '\u{08E0}', '\u{1E94A}']) {
      expect([...tokenizer.encode(`a ${later} b`).ids]).toEqual([1037, 100, 1038])
    }
    for (const former of ['\u{1734}', '\u{1171E}', '\u{0301}']) {
      expect([...tokenizer.encode(`a ${former} b`).ids]).toEqual([1037, 1038])
    }
  })

  it('cuts a run that the reference would read as one unknown token', () => {
    const run = 'antidisestablishmentarianism'.repeat(20)
    const unknown = tokenizer.encode(run, 'unknown')
    expect([...unknown.ids]).toEqual([100])
    const { ids } = tokenizer.encode(run)
    expect(ids.length).toBeGreaterThan(100)
    expect(ids).not.toContain(100)
  })

  it('counts decomposed characters: a run of Hangul is cut at 100 letters', () => {
    const { count, ends } = tokenizer.split('각'.repeat(90))
    expect(count).toBe(3)
    expect(ends[0]).toBe(33)
  })

  it('reads sanitised texts as the reference does, to the same number of tokens', () => {
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
        expect(tokenizer.encode(tokenizer.readable(text), 'unknown').ids.length).toBe(tokenizer.count(text))
        expect(tokenizer.encode(text).ids.length).toBe(tokenizer.count(text))
      }),
      { numRuns: sized(150, 500) },
    )
  })

  it('uses bounded memory over texts of random words', () => {
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
  const content = JSON.parse(file.toString()) as Record<string, unknown>

  it('is read without the truncation and padding that it declares', () => {
    expect(content['truncation']).toMatchObject({ max_length: 128 })
    expect(tokenizer.count('word '.repeat(1_000))).toBe(1_000)
  })

  it.each([
    { type: 'BPE', vocab: {}, merges: [] },
    { ...(content['model'] as object), vocab: { '[UNK]': 'odd' } },
  ])('of another kind is refused with the reason: $type', async (model) => {
    const other = Buffer.from(JSON.stringify({ ...content, model }))
    await expect(WordPieceTokenizer.open(other)).rejects.toThrow(/not BERT WordPiece/)
  })
})

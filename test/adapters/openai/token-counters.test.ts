import fc from 'fast-check'
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { openTokenizer } from '../../../adapters/device/index.js'
import { loadGptTokenCounter } from '../../../adapters/openai/gpt-token-counter.js'
import type { TokenCounter } from '../../../src/ports/index.js'
import { EstimatingTokenCounter } from '../../../src/ports/index.js'
import { bundledModel } from '../../bundled-model.js'
import { sized } from '../../full-form.js'
import { leastProcessorMs } from '../../least-processor-ms.js'

const PLAIN = { disallowedSpecial: new Set<string>() }
const wordPiece = await openTokenizer(bundledModel)
const estimate = new EstimatingTokenCounter()
/** The share of a window that texts use if their tokens are estimated. */
const SHARE = 0.8

// cspell:disable
/** Texts of different kinds, and the vocabularies that are made for their language. */
const TEXTS: Readonly<Record<string, string>> = {
  English:
    'The harbour is closed in winter, and ships may not enter the port between November and March. A master who ignores the order pays a fine of 1,250 crowns for each day (see section 4.2).\n',
  German:
    'Der Hafen ist im Winter geschlossen, und Schiffe dürfen zwischen November und März nicht einlaufen. Die Gebührenverordnung der Hafenmeisterei enthält Ausnahmegenehmigungen.\n',
  Spanish:
    'El puerto está cerrado en invierno, y los barcos no pueden entrar entre noviembre y marzo. ¿Quién lo decide?\n',
  Russian: 'Порт закрыт зимой, и суда не могут входить в гавань с ноября по март без разрешения капитана порта.\n',
  Chinese: '港口在冬季关闭，船只在十一月至三月之间不得进港。违反规定的船长每天须缴纳罚款。\n',
  Japanese: '港は冬の間閉鎖され、船は十一月から三月まで入港できません。規則を破った船長は罰金を払います。\n',
  Korean: '항구는 겨울에 폐쇄되며 선박은 십일월부터 삼월까지 입항할 수 없습니다.\n',
  table: 'id,name,price\n4711,"Widget, blue",12.50\n4712,"Widget, red",13.75\n',
  code: 'export function total(items: Item[]): number {\n  return items.reduce((sum, { price }) => sum + price, 0)\n}\n',
}

// cspell:enable

describe('the estimate of tokens', () => {
  it.each(Object.entries(TEXTS))('fills no window with more tokens than a model reads: %s', (_name, text) => {
    const long = text.repeat(8)
    const estimated = estimate.count(long)
    const real = [o200k.countTokens(long, PLAIN)]
    if (/^[\x00-\xff]*$/.test(text)) real.push(wordPiece.count(long), cl100k.countTokens(long, PLAIN))
    for (const tokens of real) {
      expect(tokens * SHARE).toBeLessThanOrEqual(estimated)
      // A chunk is not much smaller than its size says.
      expect(estimated).toBeLessThan(tokens * 4)
    }
  })

  it('counts slices as their words together, and takes a few milliseconds for a long text', () => {
    checkSums(estimate)
    const text = TEXTS['English']?.repeat(150) ?? ''
    estimate.count(text)
    expect(leastProcessorMs(() => estimate.count(text), 50)).toBeLessThan(50)
  })

  it('takes less than 100 ms for a chat with a million characters in short words', () => {
    const text = 'x y z, '.repeat(150_000)
    expect(estimate.count(text)).toBe(600_000)
    expect(leastProcessorMs(() => estimate.count(text), 100)).toBeLessThan(100)
  })
})

describe('the counter for OpenAI', () => {
  it('is exact for the words of any text without white space but single spaces, or counts too many', async () => {
    const counter = await loadGptTokenCounter()
    if (counter === undefined) throw new Error('gpt-tokenizer is not installed')
    for (const [name, text] of Object.entries(TEXTS)) {
      const line = text.replaceAll(/\s+/g, ' ').trim()
      const real = cl100k.countTokens(line, PLAIN)
      expect(counter.count(line), name).toBeGreaterThanOrEqual(real)
      expect(counter.count(line), name).toBeLessThanOrEqual(real * 1.35)
    }
    const english = TEXTS['English']?.replaceAll(/[^A-Za-z ]/g, '') ?? ''
    expect(Math.abs(counter.count(english) - cl100k.countTokens(english, PLAIN))).toBeLessThanOrEqual(2)
    checkSums(counter)
  })

  it('takes the marks of special tokens as text', async () => {
    const counter = await loadGptTokenCounter()
    expect(counter?.count('<|endoftext|>')).toBeGreaterThan(3)
  })
})

/** The words of a text cover it, and slices at their borders add up. */
function checkSums(counter: TokenCounter): void {
  const parts = fc.constantFrom(
    'a',
    'Zebra',
    '9',
    '2026',
    ' ',
    '\n',
    '.',
    '中',
    '각',
    'é',
    'Ж',
    '👍',
    '\u200b',
    '़',
    'x'.repeat(600),
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (some) => {
      const text = some.join('')
      const { count, starts, ends, tokens } = counter.split(text)
      for (let from = 0; from < count; from += 1) {
        const to = Math.min(count, from + 4)
        const sum = tokens.slice(from, to).reduce((all, each) => all + each, 0)
        expect(counter.count(text.slice(starts[from], ends[to - 1]))).toBe(sum)
      }
    }),
    { numRuns: sized(60, 200) },
  )
}

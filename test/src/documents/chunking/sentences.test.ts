import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wholeSentences } from '../../../../src/documents/index.js'

/** Widens the first occurrence of a part of a text. */
function around(text: string, part: string): string {
  const start = text.indexOf(part)
  const whole = wholeSentences(text, { start, end: start + part.length })
  return text.slice(whole.start, whole.end)
}

describe('whole sentences', () => {
  it.each<[text: string, part: string, whole: string]>([
    ['One is here. Two is there. Three is gone.', 'is there', 'Two is there.'],
    ['One is here. Two is there. Three is gone.', 'here. Two', 'One is here. Two is there.'],
    ['One is here! Is two there? Three is gone.', 'two', 'Is two there?'],
    ['A part of 1.5 mm, e.g. this one, fits. Another does not.', 'this', 'A part of 1.5 mm, e.g. this one, fits.'],
    [
      'Nobody came. Dr. Weber wrote to J. Stone on page 3. They met.',
      'wrote',
      'Dr. Weber wrote to J. Stone on page 3. They met.',
    ],
    [
      '# Leave\n\nParents stay at home for eighteen weeks\n\nOthers do not',
      'stay',
      'Parents stay at home for eighteen weeks',
    ],
    ['今天天气很好。错误代码在屏幕上。请重新启动。', '代码', '错误代码在屏幕上。'],
    ['मशीन बंद है। गैस्केट बदलें। फिर शुरू करें।', 'बदलें', 'गैस्केट बदलें।'],
  ])('%j', (text, part, whole) => {
    expect(around(text, part)).toBe(whole)
  })

  it('are rows in tables and lists', () => {
    const table = '| part | torque |\n| --- | --- |\n| VX-1 | 20 Nm |\n| VX-2 | 30 Nm |\n'
    expect(around(table, 'VX-1')).toBe('| VX-1 | 20 Nm |')
    expect(around(table, 'Nm |\n| VX-2')).toBe('| VX-1 | 20 Nm |\n| VX-2 | 30 Nm |')
    expect(around('Bring:\n- a valve of the newest series\n- two screws, if there are any\n- oil', 'screws')).toBe(
      '- two screws, if there are any',
    )
    expect(around('name: Ada Lovelace\nborn: 1815 in London\ntown: London', '1815')).toBe('born: 1815 in London')
  })

  it('go over the lines of a wrapped paragraph', () => {
    const text =
      'The gasket of the pump has to be replaced every six months by a\n' +
      'mechanic, who also checks the valves and writes both down in the\n' +
      'book of the workshop. Nobody else may open the pump.'
    expect(around(text, 'mechanic')).toBe(text.slice(0, text.indexOf(' Nobody')))
  })

  it('contain the part, and widen no further when widened again', () => {
    const word = fc.constantFrom('pump', 'Dr.', 'oil.', '好。', '\n', '\n\n', '| a |', '- b', '3.', 'end!', ' ', '  ')
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), fc.nat(), fc.nat(), (words, one, other) => {
        const text = words.join(' ').trim()
        fc.pre(text !== '')
        const [start = 0, last = 0] = [one % text.length, other % text.length].sort((a, b) => a - b)
        fc.pre(/\S/.test(text.charAt(start)) && /\S/.test(text.charAt(last)))
        const whole = wholeSentences(text, { start, end: last + 1 })
        expect(whole.start).toBeLessThanOrEqual(start)
        expect(whole.end).toBeGreaterThan(last)
        expect(text.slice(whole.start, whole.end)).toBe(text.slice(whole.start, whole.end).trim())
        expect(wholeSentences(text, whole)).toEqual(whole)
      }),
    )
  })

  it('are found fast in a text without any', () => {
    const text = 'word '.repeat(100_000)
    const startedAt = performance.now()
    const { start, end } = wholeSentences(text, { start: 250_000, end: 250_004 })
    expect(performance.now() - startedAt).toBeLessThan(500)
    expect([start, end]).toEqual([250_000, 250_004])
  })
})

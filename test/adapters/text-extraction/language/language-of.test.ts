import { describe, expect, it } from 'vitest'
import { languageOf } from '../../../../adapters/text-extraction/language/language-of.js'
import { TextSample } from '../../../../adapters/text-extraction/language/text-sample.js'
import { TEXTS_IN_LANGUAGES } from './texts-in-languages.js'

function detect(text: string): string | undefined {
  const sample = new TextSample()
  sample.add(text)
  return languageOf(sample.parts)
}

describe('the language of a text', () => {
  it.each(Object.entries(TEXTS_IN_LANGUAGES))('is %s', (language, text) => {
    expect(detect(text)).toBe(language)
  })

  it('is not known for code', () => {
    const code =
      'def union(cls, *sets):\n    """Join."""\n    import tools as ut\n    return cls(ut.flatten([list(s) for s in sets]))\n'
    expect(detect(code.repeat(5))).toBeUndefined()
  })

  it('is not known for tables, numbers and lists of parts', () => {
    expect(detect('Party,Votes,%,Seats\nLabour,25874,53.06,18\nLiberal,18808,38.57,1\n'.repeat(9))).toBeUndefined()
    expect(
      detect('4711-08 O-Ring NBR 70, Ø 12x2, DIN 3771\n0815-11 Gasket FKM, 75 mm, Nr. 9\n'.repeat(9)),
    ).toBeUndefined()
    expect(detect('1 2 3 4 5 6 7 8 9'.repeat(50))).toBeUndefined()
  })

  it('is not known for short texts and texts without words', () => {
    for (const text of [
      '',
      ' \n',
      '???',
      'Parental leave',
      TEXTS_IN_LANGUAGES.de.slice(0, 30),
      TEXTS_IN_LANGUAGES.fi.slice(0, 30),
    ]) {
      expect(detect(text)).toBeUndefined()
    }
  })

  it('is not known for a text that is half in one language and half in another', () => {
    const { de, en, fi } = TEXTS_IN_LANGUAGES
    for (const other of [de, fi]) expect(detect(`${en.repeat(10)}\n${other.repeat(10)}`)).toBeUndefined()
  })
})

describe('a sample of a text', () => {
  it('is spread over the text, in any pieces', () => {
    const text = Array.from({ length: 100_000 }, (_, index) =>
      String.fromCharCode(97 + Math.floor(index / 5_000)),
    ).join('')
    const [whole, pieces] = [new TextSample(), new TextSample()]
    whole.add(text)
    for (let at = 0; at < text.length; at += 777) pieces.add(text.slice(at, at + 777))
    expect(pieces.parts).toEqual(whole.parts)
    expect(whole.parts.every((part) => part.length === 500)).toBe(true)
    expect(whole.parts.length).toBeGreaterThanOrEqual(8)
    expect(whole.parts.length).toBeLessThanOrEqual(16)
    const letters = whole.parts.map((part) => part.charCodeAt(0) - 97)
    expect(letters[0]).toBe(0)
    expect(letters.at(-1)).toBeGreaterThanOrEqual(17)
  })

  it('has all of a short text', () => {
    const sample = new TextSample()
    for (const text of ['one ', '', 'two']) sample.add(text)
    expect(sample.parts).toEqual(['one two'])
  })
})

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

  it.each([
    [
      'cities',
      'Amsterdam\nAthens\nBarcelona\nBelgrade\nBerlin\nBratislava\nBrussels\nBucharest\nBudapest\nCopenhagen\nDublin\nGeneva\nHelsinki\nKrakow\nLisbon\nLjubljana\nLondon\nLuxembourg\nLyon\nMadrid\nMarseille\nMilan\nMunich\nNaples\nOslo\nParis\nPorto\nPrague\nRiga\nRome\nSarajevo\nSeville\nSofia\nStockholm\nTallinn\nTirana\nValencia\nVienna\nVilnius\nWarsaw\nZagreb\nZurich',
    ],
    [
      'Italian names',
      'Alessandro Rossi\nAntonella Ferrari\nBeatrice Colombo\nCarlo Ricci\nChiara Marino\nDavide Romano\nElena Bianchi\nFederica Galli\nFrancesco Esposito\nGiorgia Conti\nGiovanni De Luca\nGiulia Mancini\nLorenzo Costa\nLuca Giordano\nMarco Rizzo\nMatteo Lombardi\nPaola Moretti\nSimona Barbieri\nStefano Fontana\nValentina Santoro',
    ],
    [
      'dishes',
      'Antipasto Platter\nBruschetta\nCaprese Salad\nMinestrone\nCarpaccio\nGnocchi Gorgonzola\nSpaghetti Carbonara\nRigatoni Amatriciana\nTagliatelle Bolognese\nLasagne\nRavioli\nRisotto Milanese\nMargherita Pizza\nQuattro Stagioni\nCalzone\nScaloppine\nOssobuco\nTiramisu\nPanna Cotta\nAffogato\nEspresso\nCappuccino',
    ],
  ])('is not known for a list of %s', (_what, list) => {
    expect(detect(list)).toBeUndefined()
  })

  it('is known for German, whose nouns have capital letters', () => {
    const german =
      'Kaffee, Tee und Kuchen gibt es im Garten. Gäste, Kinder und Hunde sind willkommen. Brot, Butter, Käse und Wurst kommen vom Hof der Familie. Milch, Eier, Obst und Gemüse auch.'
    expect(detect(german)).toBe('de')
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

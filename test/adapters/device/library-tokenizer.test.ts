import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeviceEmbeddingModel, openTokenizer } from '../../../adapters/device/index.js'
import { readTokenizer } from '../../../adapters/device/library/library.js'
import { eachWord } from '../../../adapters/device/library/words.js'
import type { Tokenizer } from '../../../src/ports/index.js'
import { bundledModel } from '../../bundled-model.js'
import { copyForLibrary, type TinyModelKind, writeTinyModel } from '../../fixtures/tiny-models.js'
import { sized } from '../../full-form.js'
import { referenceTokens } from '../../reference-tokens.js'
import { temporaryFolder } from '../../temporary-folder.js'

/** Pieces of texts in several scripts, with what is odd about them. */
const PARTS = [
  'harbour',
  'weeks',
  'word',
  'Bibliothek',
  'öffnet',
  'x',
  '7',
  '2026',
  ',',
  '. ',
  '!',
  ' ',
  ' ',
  '  ',
  '\n',
  '\r\n\r\n',
  '\t',
  '港は冬の間',
  '閉まっています。',
  '한국어',
  'ไทยไม่มีช่องว่าง',
  'é',
  'é',
  '👩‍👩‍👧‍👦',
  '🇳🇴',
  '\u200b',
  '\ufeff',
  '\0',
  '<s>',
  '[SEP]',
  'https://example.com/a/b?c=d&e=f',
  'y'.repeat(60),
  '\ud800',
]
const TEXTS = fc.array(fc.constantFrom(...PARTS), { maxLength: 60 }).map((parts) => parts.join(''))
const RUNS = { numRuns: sized(80, 300) }
const TEXT = 'The harbour is closed in winter. 港は冬の間閉まっています。'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const models: DeviceEmbeddingModel[] = []
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(async () => {
  await Promise.all(models.map((model) => model.close()))
  await folder.remove()
})

async function tokenizerIn(path: string): Promise<Tokenizer> {
  const model = await DeviceEmbeddingModel.open(path)
  models.push(model)
  return await model.tokenizer()
}

async function tinyTokenizer(kind: TinyModelKind): Promise<Tokenizer> {
  const path = join(folder.path, kind)
  await writeTinyModel(path, kind)
  return await tokenizerIn(path)
}

/** The library's own tokens of a whole text, without special tokens. */
async function libraryTokenizer(path: string): Promise<(text: string) => readonly unknown[]> {
  const tokenizer = await readTokenizer(path)
  return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids
}

describe('the tokens of the bundled model', () => {
  let tokenizer: Tokenizer
  beforeAll(async () => {
    const path = join(folder.path, 'word-piece')
    await copyForLibrary(bundledModel, path)
    tokenizer = await tokenizerIn(path)
  })

  // A run of more than 100 characters is one unknown token for the reference; the engine reads it in parts.
  const items = referenceTokens.items.filter(({ ids, text }) => !(ids.length === 1 && text.length > 100))

  it.each(items.map((item, index) => ({ ...item, index })))(
    'agree with the Rust reference in ids and offsets: text $index',
    ({ text, ids, offsetsUtf16 }) => {
      const encoding = tokenizer.encode(text)
      expect([...encoding.ids]).toEqual(ids)
      expect(Array.from(encoding.starts, (start, token) => [start, encoding.ends[token]])).toEqual(offsetsUtf16)
    },
  )

  it('are all texts of the reference but a few long runs', () => {
    expect(referenceTokens.items.length - items.length).toBeLessThanOrEqual(2)
  })
})

describe('words of any text', () => {
  for (const maxWordCharacters of [undefined, 100]) {
    const split = (text: string): string[] => {
      const words: string[] = []
      eachWord(text, { maxWordCharacters }, (start, end) => words.push(text.slice(start, end)))
      return words
    }

    it(`have all characters but white space, from any word on the same: limit ${maxWordCharacters}`, () => {
      fc.assert(
        fc.property(TEXTS, (text) => {
          const words = split(text)
          expect(words.join('')).toBe(text.replaceAll(/\s/g, ''))
          for (const word of words) {
            expect(word.length).toBeGreaterThan(0)
            expect(word.length).toBeLessThanOrEqual(128)
          }
          for (let from = 0; from < words.length; from += 7) {
            const start = startOf(text, words, from)
            expect(split(text.slice(start))).toEqual(words.slice(from))
          }
        }),
        RUNS,
      )
    })
  }

  it('end after a sentence in a script without spaces, and not before its closing mark', () => {
    const words: string[] = []
    const text = '港は冬の間閉まっています。「図書館は九時に開きます。」漢字'
    eachWord(text, { maxWordCharacters: undefined }, (start, end) => words.push(text.slice(start, end)))
    expect(words).toEqual(['港は冬の間閉まっています。', '「図書館は九時に開きます。」', '漢字'])
  })
})

describe('counts', () => {
  it.each<TinyModelKind>(['unigram', 'bpe'])('of slices are sums of their words: %s', async (kind) => {
    const tokenizer = await tinyTokenizer(kind)
    fc.assert(
      fc.property(TEXTS, fc.nat(), fc.nat(), (text, one, other) => {
        const { count, starts, ends, tokens } = tokenizer.split(text)
        if (count === 0) return
        const [from, to] = [one % count, other % count].sort((left, right) => left - right) as [number, number]
        const sum = tokens.slice(from, to + 1).reduce((all, each) => all + each, 0)
        const slice = text.slice(starts[from], ends[to])
        expect(tokenizer.count(slice)).toBe(sum)
        expect(tokenizer.encode(slice).ids.length).toBe(sum)
      }),
      RUNS,
    )
  })

  it('of a tokenizer that splits at white space are never below those of the library for the whole text', async () => {
    const tokenizer = await tinyTokenizer('unigram')
    const whole = await libraryTokenizer(join(folder.path, 'unigram'))
    fc.assert(
      fc.property(TEXTS, (text) => {
        expect(tokenizer.count(text)).toBeGreaterThanOrEqual(whole(text).length)
      }),
      RUNS,
    )
  })

  it('of a tokenizer that splits at white space equal those of the library where no run is cut', async () => {
    const tokenizer = await tinyTokenizer('unigram')
    const whole = await libraryTokenizer(join(folder.path, 'unigram'))
    const words = fc.array(fc.constantFrom('harbour', 'weeks,', 'naïve', 'öffnet.', '2026', 'x-ray'), { maxLength: 40 })
    fc.assert(
      fc.property(words, (some) => {
        expect([...tokenizer.encode(some.join(' ')).ids]).toEqual(whole(some.join(' ')))
      }),
      RUNS,
    )
  })

  it('of a vocabulary of bytes are those of the library behind a space, for words with one space between', async () => {
    const tokenizer = await tinyTokenizer('bpe')
    const whole = await libraryTokenizer(join(folder.path, 'bpe'))
    const words = fc.array(fc.constantFrom('harbour', 'weeks,', 'naïve', 'öffnet.', '2026', 'x-ray', "ship's"), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(words, (some) => {
        expect([...tokenizer.encode(some.join(' ')).ids]).toEqual(whole(` ${some.join(' ')}`))
      }),
      RUNS,
    )
  })

  it('of texts that the engine embeds never exceed the window, whatever the text', async () => {
    for (const kind of ['unigram', 'bpe'] as const) {
      const tokenizer = await tinyTokenizer(kind)
      const model = models.at(-1)
      const room = 128 - tokenizer.specialTokens - tokenizer.count(kind === 'unigram' ? 'passage: ' : '')
      await fc.assert(
        fc.asyncProperty(fc.array(TEXTS, { minLength: 3, maxLength: 6 }), async (texts) => {
          const text = texts.join(' \n\n ')
          const { count, starts, ends, tokens } = tokenizer.split(text)
          let [end, sum] = [0, 0]
          while (end < count && sum + (tokens[end] ?? 0) <= room) sum += tokens[end++] ?? 0
          if (end === 0) return
          // The longest window that the engine may lay over the text is never refused.
          const window = tokenizer.readable(text.slice(starts[0], ends[end - 1]))
          expect((await model?.embed([window], { kind: 'passage' }))?.length).toBe(48)
        }),
        { numRuns: sized(20, 60) },
      )
    }
  })
})

describe('a tokenizer without a model', () => {
  it('counts as the one of the model, and needs one file', async () => {
    const ofModel = await tinyTokenizer('unigram')
    const path = join(folder.path, 'tokenizer')
    await mkdir(path)
    await expect(openTokenizer(path)).rejects.toMatchObject({ code: 'ERR_MODEL_MISSING' })
    await cp(join(folder.path, 'unigram', 'tokenizer.json'), join(path, 'tokenizer.json'))
    const tokenizer = await openTokenizer(path)
    expect(tokenizer.count(TEXT)).toBe(ofModel.count(TEXT))
    await tokenizer.close()
    expect(() => tokenizer.count('new words after the close')).toThrow('closed')
  })
})

function startOf(text: string, words: readonly string[], index: number): number {
  let at = 0
  for (const word of words.slice(0, index)) at = text.indexOf(word, at) + word.length
  return text.indexOf(words[index] ?? '', at)
}

import fc from 'fast-check'
import iconv from 'iconv-lite'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../../../adapters/text-extraction/index.js'
import { extracted, sourceOf } from '../../../extracted.js'
import { IS_FULL_FORM, sized } from '../../../full-form.js'
import { NATURAL_TEXTS } from './natural-texts.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function extract(bytes: Uint8Array, bytesPerPull = 65_536, fileName = 'a.txt') {
  const { text, warnings } = await extracted(extractor, sourceOf(fileName, bytes, bytesPerPull))
  return { text, warnings }
}

async function refusal(bytes: Uint8Array): Promise<unknown> {
  return await extract(bytes).then(
    () => undefined,
    (error: unknown) => (error as { readonly code?: unknown }).code,
  )
}

const multilingual = NATURAL_TEXTS.map(({ sentences }) => sentences.join(' ')).join('\n')
const UNSURE = 'the encoding is not certain'

// U10
describe('Unicode text', () => {
  const texts = [multilingual, ...NATURAL_TEXTS.map(({ sentences }) => sentences.join(' '))]
  const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']

  it.each(encodings)('is read with a byte-order mark, in pieces of any size: %s', async (encoding) => {
    for (const text of ['a', 'é', '東', ...texts]) {
      const bytes = iconv.encode(`\uFEFF${text}`, encoding, { addBOM: false })
      for (const bytesPerPull of IS_FULL_FORM || text.length === 1 ? [1, 3, 65_536] : [1_001]) {
        if (bytes.length / bytesPerPull > 300) continue
        expect(await extract(bytes, bytesPerPull)).toEqual({ text, warnings: [] })
      }
    }
  })

  it.each(encodings)('is read without a byte-order mark, in any script: %s', async (encoding) => {
    for (const text of texts) {
      expect(await extract(iconv.encode(text, encoding, { addBOM: false }))).toEqual({ text, warnings: [] })
    }
  })

  it.each(['utf-16le', 'utf-16be'])(
    'is read without a byte-order mark, also if it is Chinese and short: %s',
    async (encoding) => {
      for (const sentence of ['人人生而自由，在尊嚴和權利上一律平等。', '“人人”生而自由，在尊严和权利上一律平等……']) {
        for (const count of [2, 3, 4]) {
          const text = Array<string>(count).fill(sentence).join('\n')
          expect(await extract(iconv.encode(text, encoding, { addBOM: false }))).toEqual({ text, warnings: [] })
        }
      }
    },
  )

  it.each(['utf-16le', 'utf-16be'])(
    'is read without a byte-order mark, also if it is Turkish and short: %s',
    async (encoding) => {
      for (const text of ['İÇİNDEKİLER', 'ÇİFTÇİ', 'ADI;İLÇE;TEL']) {
        expect(await extract(iconv.encode(text, encoding, { addBOM: false }))).toEqual({ text, warnings: [] })
      }
    },
  )

  it('is not seen in an older encoding with zeros before the ends of lines', async () => {
    const text = '人人生而自由在尊严\0\n和权利上一律平等\0\n'
    const { text: read } = await extract(iconv.encode(text, 'gb18030'))
    expect(read).toBe(text.replaceAll('\0', '\uFFFD'))
  })

  it.each(encodings)('is rejected as empty if it has only the mark: %s', async (encoding) => {
    expect(await refusal(iconv.encode('\uFEFF', encoding, { addBOM: false }))).toBe('ERR_NO_TEXT')
  })

  it('is read as UTF-8 despite broken bytes, with a warning that counts them', async () => {
    const whole = Buffer.from(multilingual)
    const broken = Buffer.from(whole)
    broken[whole.indexOf('é')] = 0xff
    const { text, warnings } = await extract(broken)
    expect(text.replaceAll('\uFFFD', '')).toBe(multilingual.replace('é', ''))
    expect(warnings).toEqual([expect.stringMatching(/^[12] characters? could not be decoded/)])

    const cut = whole.subarray(0, whole.lastIndexOf('다') + 1)
    expect(await extract(cut)).toEqual({
      text: `${multilingual.slice(0, multilingual.lastIndexOf('다'))}\uFFFD`,
      warnings: ['1 character could not be decoded and became U+FFFD'],
    })
  })

  it.each([
    ['in a line', 'hello\0world caf\u00E9 nul inside\n'],
    [
      'after fixed fields',
      `Fixed record one.${'\0'.repeat(7)}Fixed record two.${'\0'.repeat(7)}Third record.${'\0'.repeat(4)}`,
    ],
  ])('is read as UTF-8 despite zeros %s, with a warning that counts them', async (_where, content) => {
    const { text, warnings } = await extract(Buffer.from(content))
    expect(text).toBe(content.replaceAll('\0', '\uFFFD'))
    const zeros = content.split('\0').length - 1
    expect(warnings).toEqual([`${zeros === 1 ? '1 zero character' : `${zeros} zero characters`} became U+FFFD`])
  })

  it('never contains zero characters', async () => {
    expect((await extract(Buffer.from('zero\0here, and ordinary text around it'))).text).toBe(
      'zero\uFFFDhere, and ordinary text around it',
    )
  })
})

// U10
describe('text in an older encoding', () => {
  const cases = NATURAL_TEXTS.flatMap(({ language, encodings, sentences }) =>
    encodings.map((encoding) => ({ language, encoding, text: `${sentences.join('\n')}\n` })),
  )

  it.each(cases)('is decoded: $language in $encoding', async ({ encoding, text }) => {
    const bytes = iconv.encode(text, encoding)
    expect(iconv.decode(bytes, encoding)).toBe(text)
    expect((await extract(bytes)).text).toBe(text)
  })

  it.each(['a', 'a\n'.repeat(100_000)])(
    'is detected wherever in the file the first special character is',
    async (ascii) => {
      const text = `${ascii}\nВсе люди рождаются свободными и равными.\n`
      expect((await extract(iconv.encode(text, 'windows-1251'))).text).toBe(text)
    },
  )

  it('is decoded if all but a name is English', async () => {
    const english = 'The committee met on Friday in the large hall. It was cold, as it had been all winter. '.repeat(50)
    for (const name of ['José García', 'Müller & Söhne', 'it’s “fine”', '25 °C', '£20']) {
      const text = `${english}${name}. ${english}`
      expect((await extract(iconv.encode(text, 'windows-1252'))).text).toBe(text)
    }
  })

  it.each([
    ['HZ', 'Welcome: ~{;6S-~}! ~~ is a tilde.\n', 'Welcome: 欢迎! ~ is a tilde.\n'],
    ['ISO-2022-KR', '\x1b$)C\nname: \x0eGQ1[\x0f.\n', '\nname: 한글.\n'],
    ['ISO-2022-JP', 'name: \x1b$BF|K\\8l\x1b(B.\n', 'name: 日本語.\n'],
  ])('is decoded from seven-bit encodings in pieces of any size: %s', async (_name, bytes, text) => {
    for (const bytesPerPull of [1, 2, 7, 100]) {
      expect(await extract(Buffer.from(bytes, 'latin1'), bytesPerPull)).toEqual({ text, warnings: [] })
    }
  })

  it('is decoded from Johab, the Korean encoding of DOS', async () => {
    const text = '한글 문서입니다. 모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n'
    expect((await extract(johab(text))).text).toBe(text)
  })

  it.each(['会社', '議事録', '電話番号', '請求書', '完了', '単価'])(
    'is decoded from Shift-JIS also if it is short: %s',
    async (word) => {
      for (const text of [word, `1,${word}\n`, `# ${word}\n\nabc def\n`]) {
        expect((await extract(iconv.encode(text, 'shift_jis'))).text).toBe(text)
      }
    },
  )

  it('is not taken for Shift-JIS if it is a word in an encoding of DOS or of the Mac', async () => {
    for (const [text, encoding] of [
      ['Un été à la campagne.\n', 'macintosh'],
      ['Größe: fünf Äpfel\n', 'cp850'],
    ] as const) {
      expect((await extract(iconv.encode(text, encoding))).warnings.join(' ')).not.toContain('shift_jis')
    }
  })

  it.each([
    ['euc-jp', '電話番号'],
    ['euc-jp', '会議録'],
    ['euc-kr', '완료'],
    ['gb18030', '公司'],
  ])('is reported as a guess if it is short and has the bytes of another language: %s, %s', async (encoding, word) => {
    const { text, warnings } = await extract(iconv.encode(`1,${word}\n`, encoding))
    if (text !== `1,${word}\n`) expect(warnings.join(' ')).toContain(UNSURE)
  })

  it.each(['안녕하세요', '대한민국', '회의 자료', '계약서'])('is sure if it is short and Korean: %s', async (text) => {
    expect(await extract(iconv.encode(`${text}\n`, 'euc-kr'))).toEqual({ text: `${text}\n`, warnings: [] })
  })

  it.each(['viscii', 'tcvn'])('is decoded from an encoding of Vietnamese: %s', async (encoding) => {
    const text = 'Tất cả mọi người sinh ra đều được tự do và bình đẳng.\nCuộc họp sau sẽ diễn ra vào chiều thứ sáu.\n'
    expect(await extract(iconv.encode(text, encoding))).toEqual({ text, warnings: [] })
  })

  it('is not taken for Vietnamese if it is Norwegian', async () => {
    const text = 'Det er godt å gå på tur. Vi må ta på jakke nå, så vi kan gå.\n'
    expect((await extract(iconv.encode(text, 'windows-1252'))).text).toBe(text)
  })

  it('is rejected if the encoding is unknown, as EBCDIC is, or if it is not text', async () => {
    const ebcdic = Buffer.from(
      Array.from('this is a text that a mainframe has written '.repeat(10), (character) =>
        character === ' ' ? 0x40 : 0x81 + ((character.charCodeAt(0) - 0x61) % 9),
      ),
    )
    expect(await refusal(ebcdic)).toBe('ERR_UNDECODABLE_TEXT')
    const noise = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7_919 * (index + 13)) % 256))
    expect(await refusal(noise)).toBe('ERR_UNDECODABLE_TEXT')
  })

  it('is rejected if the encoding fits only the beginning', async () => {
    const japanese = iconv.encode(
      'すべての人間は、生まれながらにして自由であり、平等である。\n'.repeat(2_000),
      'shift_jis',
    )
    const damaged = Buffer.concat([japanese, Buffer.alloc(20_000, Buffer.from([0xfd, 0x20, 0xfe, 0x20]))])
    expect(await refusal(damaged)).toBe('ERR_UNDECODABLE_TEXT')
  })
})

// U10
describe('text in any encoding', () => {
  it('is returned exactly, rejected, or reported as a guess', async () => {
    const written = fc.constantFrom(...NATURAL_TEXTS).chain(({ encodings, sentences }) =>
      fc.record({
        encoding: fc.constantFrom(...encodings, 'utf-8', 'utf-16le', 'utf-16be'),
        text: fc
          .array(fc.constantFrom(...sentences, 'Page 1 of 12', 'http://www.example.com/a?b=c'), {
            minLength: 1,
            maxLength: 12,
          })
          .map((lines) => lines.join('\n')),
        bytesPerPull: fc.integer({ min: 16, max: 500 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(written, async ({ encoding, text, bytesPerPull }) => {
        try {
          const extracted = await extract(iconv.encode(text, encoding), bytesPerPull)
          if (!extracted.warnings.some((warning) => warning.startsWith(UNSURE))) expect(extracted.text).toBe(text)
        } catch (error) {
          if ((error as { readonly code?: unknown }).code !== 'ERR_UNDECODABLE_TEXT') throw error
        }
      }),
      { numRuns: sized(60, 150) },
    )
  })
})

/** Encodes syllables and ASCII in Johab, by the table of KS X 1001, annex 3. */
function johab(text: string): Buffer {
  const firsts = Array.from({ length: 19 }, (_, index) => index + 2)
  const vowels = [3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 26, 27, 28, 29]
  const lasts = Array.from({ length: 28 }, (_, index) => index + (index < 17 ? 1 : 2))
  const bytes = Array.from(text).flatMap((character) => {
    const syllable = character.charCodeAt(0) - 0xac00
    if (syllable < 0) return [character.charCodeAt(0)]
    const first = firsts[Math.floor(syllable / 588)] ?? 0
    const vowel = vowels[Math.floor((syllable % 588) / 28)] ?? 0
    const code = 0x8000 | (first << 10) | (vowel << 5) | (lasts[syllable % 28] ?? 0)
    return [code >> 8, code & 0xff]
  })
  return Buffer.from(bytes)
}

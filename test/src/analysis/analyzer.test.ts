import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANALYZER_VERSION, analyze, questionTerms, termsOf } from '../../../src/analysis/index.js'
import { fold } from '../../../src/analysis/term.js'
import { sized } from '../../full-form.js'

const NO_MORE_THAN = 256
const RUNS = sized(500, 2_000)
/** UTF-16 units of a text whose analysis is timed. */
const LONG_TEXT = sized(2 ** 18, 2 ** 20)
/** Parts of texts of every kind in the rules, so that chance joins them in unforeseen ways. */
const PARTS = [
  ...Array.from('aZé9٤ßİςΣйड़्ि中京のカー가각ᄒ\u1161กัำខ្မမ္😀€♥№…!?.-_\'’/\\@:&+#,"()%~\t\n '),
  ...[
    '\u0301',
    '\u200d',
    '\u200c',
    '\u200b',
    '\ufeff',
    '\u00ad',
    '\ufe0f',
    '\u3099',
    'ﾊﾞ',
    '\ud800',
    '\udc00',
    '\u0000',
  ],
  ...['://', '++', "'s", 'HTTP', 'Server', '1,234', 'ﷺ', 'ﬁ', '½', '葛\u{e0100}', '\u2028', 'running', 'AbC1dE2'],
]
const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.array(fc.constantFrom(...PARTS), { maxLength: 60 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 60 }),
  )

describe('terms', () => {
  it('equal those of this version of the analyzer', () => {
    expect(ANALYZER_VERSION).toBe(1)
    expect(Object.fromEntries(Object.keys(GOLDEN).map((sample) => [sample, termsOf(sample).join(' ')]))).toEqual(GOLDEN)
  })

  it('fit the limits, and have positions in order', () => {
    fc.assert(
      fc.property(text(), (any) => {
        let before = 0
        for (const { term, start, end } of analyze(any)) {
          expect(term).toMatch(/^[^\s\p{Cc}\p{Cs}]+$/u)
          expect(term.length).toBeLessThanOrEqual(NO_MORE_THAN)
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(any.length)
          before = start
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('are the same with and without positions, and on every call', () => {
    fc.assert(
      fc.property(text(), (any) => {
        const terms = termsOf(any)
        expect(analyze(any).map(({ term }) => term)).toEqual(terms)
        expect(termsOf(any)).toEqual(terms)
      }),
    )
  })

  it('of texts joined by white space are those of the first, then those of the second', () => {
    fc.assert(
      fc.property(text(), text(), fc.constantFrom(' ', '\n', '\u3000', '\u2029'), (one, other, space) => {
        expect(termsOf(one + space + other)).toEqual([...termsOf(one), ...termsOf(other)])
      }),
      { numRuns: RUNS },
    )
  })

  it('of a question are among those of the document that it was copied from', () => {
    fc.assert(
      fc.property(text(), text(), text(), (before, copied, after) => {
        const terms = new Set(termsOf(`${before} ${copied} ${after}`))
        for (const [term, weight] of questionTerms(copied)) {
          expect(terms).toContain(term)
          expect(weight).toBeGreaterThan(0)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it.each([
    '東京タワーの高さは333メートルです',
    '我在北京大学学习ABC-12和Python',
    'SNS에서Kim이',
    'กรุงเทพABCมหานคร',
    'E-4711です',
  ])('of a part of %s that is cut at a change of script are terms of the whole', (whole) => {
    const terms = new Set(termsOf(whole))
    const runs =
      whole.match(/\p{sc=Hira}+|[\p{sc=Kana}ー]+|\p{sc=Han}+|\p{sc=Hang}+|\p{sc=Thai}+|[A-Za-z0-9-]+/gu) ?? []
    expect(runs.join('')).toBe(whole)
    for (const run of runs) for (const term of questionTerms(run).keys()) expect(terms).toContain(term)
  })

  it('of a long word are its beginning only, and the same word in a question finds it', () => {
    const long = `${'x'.repeat(300)}😀${'ü'.repeat(300)}`
    expect(termsOf(long).map((term) => term.length)).toEqual([256, 1, 256].map((length) => (length === 1 ? 2 : length)))
    expect(termsOf(`${'x'.repeat(255)}𐐨𐐨`)).toEqual(['x'.repeat(255)])
    expect(termsOf('q'.repeat(5000))).toEqual(['q'.repeat(256)])
  })

  it('of base64 are few', () => {
    const base64 = 'aGVsbG8gd29ybGQhIFRoaXMgaXMgYSB0ZXN0IG9mIGJhc2U2NCBlbmNvZGluZyBvZiBhIGxvbmcgdGV4dA'
    expect(termsOf(base64)).toEqual([base64.toLowerCase()])
  })
})

describe('one word written in two ways', () => {
  it.each([
    ['GOALS.md', 'goals.md'],
    ['E-4711', 'E4711'],
    ['snake_case', 'snakeCase'],
    ['e-mail', 'email'],
    ['1,234.56', '1234.56'],
    ["don't", 'dont'],
    ['president’s', 'president'],
    ['Straße', 'STRASSE'],
    ['İstanbul', 'istanbul'],
    ['ısı', 'isi'],
    ['ΣΊΣΥΦΟΣ', 'σισυφος'],
    ['ﬁn', 'fin'],
    ['Ｃ＋＋', 'c++'],
    ['４２', '42'],
    ['٤٢', '42'],
    ['café', 'cafe\u0301'],
    ['Đặng', 'dang'],
    ['ёлка', 'елка'],
    ['أَحْمَد', 'احمد'],
    ['مدرسة', 'مدرسه'],
    ['שָׁלוֹם', 'שלום'],
    ['ﾊﾞﾅﾅ', 'バナナ'],
    ['か\u3099', 'が'],
    ['한글', '\u1112\u1161\u11ab\u1100\u1173\u11af'],
    ['on-line', 'online'],
    ['e-mails', 'emails'],
    ['coŀlecció', 'col·lecció'],
    ['PDF', 'PDFs'],
    ['می\u200cخواهم', 'میخواهم'],
    ['خواهم', 'می\u200cخواهم'],
    ['soft\u00adhyphen', 'softhyphen'],
    ['葛\u{e0100}城', '葛城'],
    ['C#', 'c＃'],
  ])('%s is found by %s', (one, other) => {
    const [whole] = termsOf(one)
    expect(termsOf(other)).toContain(whole)
  })

  it.each([
    ['1.23', '12.3'],
    ['v1.2.3', 'v12.3'],
    ['E-4711', 'E-4712'],
    ['C++', 'C#'],
    ['C++', 'C'],
    ['#1795', '1795'],
    ['.NET', 'net'],
    ['が', 'か'],
    ['कि', 'का'],
    ['กา', 'กี'],
    ['東京', '京東'],
  ])('%s is not %s', (one, other) => {
    expect(termsOf(one)).not.toEqual(termsOf(other))
  })
})

describe('folding a text', () => {
  it('changes nothing the second time, for every character', () => {
    const changed: string[] = []
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const folded = fold(String.fromCodePoint(codePoint))
      if (fold(folded) !== folded) changed.push(codePoint.toString(16))
    }
    expect(changed).toEqual([])
  })

  it('keeps each term of a word among the terms of the term', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zà-ÿα-ωа-я가-힣कखगािी]{2,12}$/u), (word) => {
        // The stem of a stem may differ; every other term is found by its own terms.
        for (const term of termsOf(word)) if (!/^[a-z]+$/.test(term)) expect(termsOf(term)).toContain(term)
      }),
    )
  })
})

describe('a question', () => {
  it.each([
    '',
    ' ',
    '?',
    '...',
    '—',
    '「」、。',
    '!?¿¡‼⁉〰',
    '\'"`',
    '-_/\\@:&+#,',
    '\ud800',
    '\u0301',
    '\u200d\ufeff',
    '• ■ ─',
  ])('with only punctuation (%j) has no terms', (question) => {
    expect(questionTerms(question)).toEqual(new Map())
    expect(termsOf(question)).toEqual([])
  })

  it('gives its topic more weight than its question words', () => {
    const weights = questionTerms('What is the heat capacity?')
    expect(weights.get('heat')).toBe(1)
    expect(weights.get('what')).toBeLessThan(0.5)
    expect(weights.get('is')).toBeLessThan(0.5)
  })

  it('gives an identifier more weight than its parts', () => {
    const weights = questionTerms('E-4711')
    expect([...weights.keys()]).toEqual(['e4711', '4711'])
    expect(weights.get('e4711')).toBeGreaterThan(2 * (weights.get('4711') ?? 1))
  })

  it('gives a repeated word double weight', () => {
    expect(questionTerms('title, and the Title').get('title')).toBe(2)
  })
})

describe('the analysis of a megabyte', () => {
  const NASTY = [
    'a',
    'A',
    'a-',
    '-',
    '.',
    "a'",
    'aA',
    '1a',
    '1,',
    ',123',
    '/a',
    '+',
    'c+',
    '://',
    'A1.',
    '中',
    'ก',
    'กั',
    'ក្ក',
    '가',
    'か\u3099',
    '\u0301',
    'e\u0301',
    '\ud800',
    '😀',
    '\u200d',
    '\uff9e',
    'ﷺ',
    'a\u00ad',
    `${'A'.repeat(200)}s `,
    `${'Zz9'.repeat(80)} `,
    // Marks of two classes, which folding sorts.
    '\u1039\u1037',
    '\u0e48\u0e38',
    '\u3099\u302a',
  ]
  it.each(NASTY)('takes a time in proportion to its length for %j', { timeout: 120_000 }, (pattern) => {
    const long = pattern.repeat(LONG_TEXT / pattern.length)
    const before = process.cpuUsage().user
    termsOf(long)
    // At full size a tenth of a second to two, if the time is proportional to the length; minutes, if it grows with its
    // square. A quarter of the length then takes a sixteenth of the minutes.
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(sized(2.5, 10))
  })
})

/** Texts, and their terms. Any change here needs another ANALYZER_VERSION. */
const GOLDEN: Readonly<Record<string, string>> = {
  'The flies were running quickly, happily and NATIONALLY.': 'the flies were running quickly happily and nationally',
  'See GOALS.md, E-4711 and (ab12-cd) or 9router: #1795.':
    'see goalsmd goals md e4711 e 4711 and ab12cd ab12 ab 12 cd or 9router 9 router #1795 1795',
  'snake_case camelCase HTTPServer parseHTML5 PDFs iPhone12':
    'snakecase snake case camelcase camel case httpserver http server parsehtml5 parse html 5 pdfs pdf iphone12 i phone 12',
  'v1.2.3 1,234.56 1,234,567 1,2,3 3.14 2024-01-05 12:30 192.168.0.1':
    'v1.2.3 v1 v 1 2 3 1234.56 1 234 56 1234567 1 234 567 1 2 3 3.14 3 14 2024-01-05 2024 01 05 12:30 12 30 192.168.0.1 192 168 0 1',
  'user@example.com https://www.example.com/a/b.html?x=1 /usr/local/bin C:\\Temp':
    'userexamplecom user examplecom example com httpswwwexamplecomabhtml https wwwexamplecom www example com a bhtml b html x 1 usrlocalbin usr local bin c temp',
  "don't president's we'll O'Brien l’homme rock'n'roll U.S.A.":
    'dont president we obrien o brien lhomme l homme rocknroll rock n roll usa u s a',
  'C++ C# C++17 .NET AT&T a+b R&D std::vector':
    'c++ c c# c c++17 c++ c 17 .net net att at t ab a b rd r d stdvector std vector',
  'state-of-the-art e-mail X-ray': 'stateoftheart state of the art email e mail xray x ray',
  'Straße İstanbul ısı ΣΊΣΥΦΟΣ ﬁn Ｆｕｌｌ café Đặng łódź Æsop':
    'strasse istanbul isi σισυφοσ fin full cafe dang lodz aesop',
  'Ёлка й Україна': 'елка и украіна',
  'أ\u{64e}ح\u{652}م\u{64e}د مدرسة على می\u{200c}خواهم ٤٢': 'احمد مدرسه علي ميخواهم مي خواهم 42',
  'ש\u{5b8}\u{5c1}לו\u{5b9}ם עו״ד': 'שלום עוד עו ד',
  'कंप्यूटर ज़मीन ১২': 'कंप्यूटर जमीन 12',
  '我在北京大学学习。': '我 我在 在 在北 北 北京 京 京大 大 大学 学 学学 学 学习 习',
  東京タワーの高さは333メートル: '東 東京 京 京タ タワ ワー ーの の の高 高 高さ さは 333 メー ート トル',
  'ﾊﾞﾅﾅ 葛\u{e0100}城 ㎏': 'バナ ナナ 葛 葛城 城 kg',
  '서울에서 SNS가 2024년': '^서울 서 서울 sns 가 2024 년',
  '도서관까지는 나라': '^도서 도 도서 서관 ^나라 나 나라',
  'ภาษาไทย น้ำ': 'ภา าษ ษา าไ ไท ทย น้ำ',
  ພາສາລາວ: 'ພາ າສ ສາ າລ ລາ າວ',
  ភាសាខ្មែរ: 'ភាសា សាខ្មែ ខ្មែរ',
  မြန်မာဘာသာ: 'မြန် န်မာ မာဘာ ဘာသာ',
  '€50 ♥ 👨\u{200d}👩\u{200d}👧 ™ • …': '€ 50 ♥ 👨 👩 👧',
  'x² ½ ⑴ Ⅷ': 'x2 1/2 1 viii',
}

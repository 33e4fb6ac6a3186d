import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSafeInMail, joinNames, personNameSchema } from '../../../src/tenancy/users/identity.js'
import { sized } from '../../full-form.js'

const schema = personNameSchema()
const isAccepted = (name: string): boolean => schema.safeParse(name).success

// A44
describe('a name', () => {
  it.each([
    '',
    "Mary-Jane O'Neil Jr.",
    'J. R. R. Tolkien',
    'J.R.R. Tolkien',
    'Zoë',
    '王小明',
    'Dr. med. Anna Müller',
    'St. John',
    'Martin Luther King, Jr.',
    'María-José Ñandú i Güell',
    'O’Brien',
    'محمد علی‌پور',
    'யாழினி',
    'Axel:son Johnson',
    'Anna Müller (she/her)',
    'Louis XIV',
    'User 12',
    'Jean-Luc 👩‍🚀',
    'x'.repeat(100),
    '👩'.repeat(100),
  ])('%j of a person is accepted, and appears in a mail', (name) => {
    expect(schema.parse(name)).toBe(name)
    expect(isSafeInMail(name)).toBe(true)
  })

  it.each([
    ['http://evil', 'web addresses'],
    ['HTTPS://evil', 'web addresses'],
    ['https:/evil', 'web addresses'],
    ['//evil/x', 'web addresses'],
    ['www.evil', 'web addresses'],
    ['Visit WWW. now', 'web addresses'],
    ['evil.com', 'web addresses'],
    ['You won, see evil.com now', 'web addresses'],
    ['(evil.com)', 'web addresses'],
    ['bücher.example', 'web addresses'],
    ['例え.テスト', 'web addresses'],
    ['उदाहरण.भारत', 'web addresses'],
    ['evil．com', 'web addresses'],
    ['evil。com', 'web addresses'],
    ['evil\u200B.com', 'web addresses'],
    ['evil.\u00ADcom', 'web addresses'],
    ['a.b/c', 'web addresses'],
    ['a.b?c', 'web addresses'],
    ['xn--bcher-kva.example', 'web addresses'],
    ['ada@example.com', 'web addresses'],
    ['mailto:ada', 'web addresses'],
    ['tel:0900123', 'web addresses'],
    ['javascript:x', 'web addresses'],
    ['10.0.0.1', 'web addresses'],
    ['\\\\server\\share', 'web addresses'],
    ['Ada <b>', '< or >'],
    ['Ada >', '< or >'],
    ['Ada ＜b＞', '< or >'],
    ['Ada\nBcc: eve', 'one line'],
    ['Ada\r', 'one line'],
    ['Ada\tL', 'one line'],
    ['Ada\u2028L', 'one line'],
    ['Ada\u0085L', 'one line'],
    ['Ada \u202Emoc', 'direction'],
    ['Ada \u2066moc', 'direction'],
    ['x'.repeat(101), 'at most 100 characters'],
  ])('%j is refused with a sentence', (name, sentence) => {
    expect(schema.safeParse(name).error?.issues[0]?.message).toContain(sentence)
    expect(isSafeInMail(name)).toBe(false)
  })

  it('of two parts is short as a whole', () => {
    expect(joinNames('Ada', 'L')).toBe('Ada L')
    expect(joinNames('', 'L')).toBe('L')
    expect(() => joinNames('x'.repeat(50), 'y'.repeat(50))).toThrow('lastName: must have at most 100 characters')
  })

  it('that is accepted contains nothing that a mail client links, whatever text surrounds it', () => {
    const links = fc.constantFrom('evil.com', 'http://e.x/y', 'www.evil.com', 'a.b/c', 'ftp://x', 'é.museum', '1.2.3.4')
    const around = fc.string({ unit: 'grapheme', maxLength: 30 })
    fc.assert(
      fc.property(around, links, around, (before, link, after) => {
        expect(isAccepted(`${before}${link}${after}`)).toBe(false)
        expect(isAccepted(`${before} ${link} ${after}`)).toBe(false)
      }),
      { numRuns: sized(500, 2_000) },
    )
  })

  it('that is accepted is one line without HTML and direction marks, for any input', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('.', '/', '<', '\n', '\u202E', 'com', 'www', ':'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const name = parts.join('')
        if (!isAccepted(name)) return
        expect(name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}<>\u202A-\u202E\u2066-\u2069]|:\/\/|\bwww\.|[a-z0-9]\.[a-z]{2}/iu)
        expect(Array.from(name).length).toBeLessThanOrEqual(100)
      }),
      { numRuns: sized(1_000, 5_000) },
    )
  })

  it('of letters, apostrophes, hyphens and full stops before spaces is always accepted', () => {
    const word = fc.stringMatching(/^[\p{Lu}][\p{L}'’-]{0,12}\.?$/u)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const name = words.join(' ')
        fc.pre(!/\bwww\./i.test(name) && Array.from(name).length <= 100)
        expect(isAccepted(name)).toBe(true)
      }),
      { numRuns: sized(500, 2_000) },
    )
  })
})

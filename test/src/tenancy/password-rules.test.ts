import { describe, expect, it } from 'vitest'
import { MemoryCommonPasswords } from '../../../adapters/memory/index.js'
import { PasswordRules } from '../../../src/tenancy/index.js'

const rules = new PasswordRules(new MemoryCommonPasswords(['unbelievable', 'short', 'straße12345!']))
const USER = { email: 'Straßenbahn.Zoë@Bücher.example', emailKey: 'strassenbahn.zoë@xn--bcher-kva.example' }

/** The sentence that refuses a password, or `taken`. */
async function answerTo(password: string, user = USER): Promise<string> {
  return await rules.require(password, user).then(
    () => 'taken',
    (error: unknown) => {
      const { code, field, message } = error as { code: string; field: string; message: string }
      expect([code, field]).toEqual(['ERR_INVALID_INPUT', 'password'])
      // Any sentence may contain a password of one character.
      if (password.trim().length > 1) expect(message).not.toContain(password.trim())
      return message
    },
  )
}

const TOO_SHORT = 'password: must have at least 12 characters'
const TOO_LONG = 'password: must have at most 1000 characters'
const COMMON = 'password: is one of the most common passwords, which are guessed first: choose another one'
const OWN = 'password: must be neither the e-mail address nor the part of it before the @'
const REPEATED = 'password: must not be a few characters that are repeated: choose other words'

// A50
describe('a password', () => {
  it.each([
    ['', 'password: must not be empty'],
    [' '.repeat(20), 'password: must not be empty'],
    ['elevenchars', TOO_SHORT],
    ['twelve chars', 'taken'],
    // The length counts code points, neither bytes nor halves of surrogate pairs.
    ['🐎🐢🦊🐻🐼🐨🐯🦁🐮🐷🐸', TOO_SHORT],
    ['🐎🐢🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵', 'taken'],
    [`${'correct horse '.repeat(71)}12345 `, 'taken'],
    [`${'correct horse '.repeat(71)}1234567`, TOO_LONG],
  ])('has 12 to 1,000 characters: %j', async (password, answer) => {
    expect(await answerTo(password)).toBe(answer)
  })

  it.each(['unbelievable', 'UNBELIEVABLE', '  UnBelievable\t', 'Straße12345!'])(
    'is not one of the commonest: %j',
    async (password) => {
      expect(await answerTo(password)).toBe(COMMON)
    },
  )

  it.each(['unbelievable1', 'not unbelievable', 'unbelievabl e'])('may contain a common one: %j', async (password) => {
    expect(await answerTo(password)).toBe('taken')
  })

  it.each([
    'Straßenbahn.Zoë@Bücher.example',
    ' STRASSENBAHN.ZOË@XN--BCHER-KVA.EXAMPLE ',
    'straßenbahn.zoë',
    'Strassenbahn.Zoe\u0308',
  ])('is not the e-mail address of the user: %j', async (password) => {
    expect(await answerTo(password)).toBe(OWN)
  })

  it('may be the e-mail address of another user, and contain one', async () => {
    expect(await answerTo('ada.lovelace@example.com')).toBe('taken')
    expect(await answerTo('Straßenbahn.Zoë@Bücher.example!')).toBe('taken')
  })

  it.each([
    'aaaaaaaaaaaa',
    ' zzzzzzzzzzzzzzzz',
    'abababababab',
    'AbcabCABCabc',
    'elevenchars'.repeat(2),
    '🐎'.repeat(12),
  ])('is not a short piece repeated many times: %j', async (password) => {
    expect(await answerTo(password)).toBe(REPEATED)
  })

  it.each(['aaaaaaaaaaab', 'baaaaaaaaaaaa', 'ababababababa', 'twelve chars'.repeat(2)])(
    'may contain repetition that is only a part of it, or is long enough: %j',
    async (password) => {
      expect(await answerTo(password)).toBe('taken')
    },
  )

  it('takes little time to check, whatever it is', async () => {
    const began = performance.now()
    for (const piece of ['a', 'ab', 'abcdefghijk']) await answerTo(`${piece.repeat(1_000).slice(0, 999)}!`)
    expect(performance.now() - began).toBeLessThan(500)
  })
})

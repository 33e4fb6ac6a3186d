import assert from 'node:assert/strict'
import type {
  CommonPasswords,
  Mail,
  Mailer,
  OneTimePasswords,
  PasswordHasher,
  TokenClaims,
  TokenSigner,
} from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, type TestRunner } from './harness.js'

const NOW = new Date('2026-01-02T03:04:05.000Z')
const CLAIMS: TokenClaims = {
  iss: 'alcove',
  aud: 'alcove',
  sub: '7',
  client_id: 'ak_1',
  jti: 'one',
  target_app: 'tenant',
  company_id: 2,
  account_id: 3,
  key_id: 5,
  epoch: 3,
}
/** The result of a verification: the claims with their times, in seconds. */
const ISSUED_AT = NOW.getTime() / 1_000
const VERIFIED = { ...CLAIMS, iat: ISSUED_AT, exp: ISSUED_AT + 900 }
const EXPECTED = { iss: 'alcove', aud: 'alcove' }

function later(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1_000)
}

/** Tests for every TokenSigner: nobody else can create its tokens. */
export function tokenSignerSuite(runner: TestRunner, name: string, create: CreateSubject<TokenSigner>): void {
  defineSuite(runner, `TokenSigner: ${name}`, create, (test) => {
    const sign = async (signer: TokenSigner, claims = CLAIMS): Promise<string> =>
      await signer.sign(claims, { issuedAt: NOW, lifetimeSeconds: 900 })

    test('verifies a token and returns its claims until the token expires', async (signer) => {
      const token = await sign(signer)
      assert.deepEqual(await signer.verify(token, { ...EXPECTED, now: NOW }), VERIFIED)
      assert.deepEqual(await signer.verify(token, { ...EXPECTED, now: later(899) }), VERIFIED)
      assert.equal(await signer.verify(token, { ...EXPECTED, now: later(900) }), undefined)
      assert.equal(await signer.verify(token, { ...EXPECTED, now: later(-1) }), undefined)
    })

    // A92
    test('returns the scope of a token', async (signer) => {
      const token = await sign(signer, { ...CLAIMS, scope: 'search context:read' })
      const verified = await signer.verify(token, { ...EXPECTED, now: NOW })
      assert.deepEqual(verified, { ...VERIFIED, scope: 'search context:read' })
    })

    test('accepts tokens of its own issuer and audience only', async (signer) => {
      const token = await sign(signer)
      assert.equal(await signer.verify(token, { iss: 'other', aud: 'alcove', now: NOW }), undefined)
      assert.equal(await signer.verify(token, { iss: 'alcove', aud: 'other', now: NOW }), undefined)
    })

    test('rejects tokens that it did not sign', async (signer) => {
      const token = await sign(signer)
      const middle = Math.floor(token.length / 2)
      const altered = token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1)
      for (const forged of [
        '',
        'a',
        'a.b.c',
        `${token}.x`,
        altered,
        token.slice(0, -9),
        '\u0000',
        '東京',
        'x'.repeat(1e5),
      ]) {
        assert.equal(await signer.verify(forged, { ...EXPECTED, now: NOW }), undefined, forged.slice(0, 40))
      }
    })

    test('still verifies tokens of a key that was rotated', async (signer) => {
      const before = await sign(signer)
      await signer.rotate(NOW)
      const after = await sign(signer)
      assert.deepEqual(await signer.verify(before, { ...EXPECTED, now: later(899) }), VERIFIED)
      assert.deepEqual(await signer.verify(after, { ...EXPECTED, now: NOW }), VERIFIED)
    })

    // A90
    test('publishes the public part of the keys whose tokens are valid, or no keys', async (signer) => {
      await sign(signer)
      const before = await signer.publicKeys(NOW)
      await signer.rotate(NOW)
      const rotated = await signer.publicKeys(later(899))
      const last = await signer.publicKeys(later(900))
      if (before.length === 0) assert.deepEqual([rotated, last], [[], []])
      else assert.deepEqual([rotated.slice(1), last], [before, rotated.slice(0, 1)])
      assert.equal(new Set(rotated.map(({ kid }) => kid)).size, rotated.length)
      for (const key of rotated) {
        assert.equal(key.use, 'sig')
        assert.deepEqual(
          Object.keys(key).filter((member) => !['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'].includes(member)),
          [],
        )
      }
    })
  })
}

/** Tests for every PasswordHasher: a hash verifies its own password and reveals nothing else. */
export function passwordHasherSuite(runner: TestRunner, name: string, create: CreateSubject<PasswordHasher>): void {
  defineSuite(runner, `PasswordHasher: ${name}`, create, (test) => {
    test('verifies the hashed password and no other', async (hasher) => {
      const hash = await hasher.hash('correct horse 東京')
      assert.equal(await hasher.verify(hash, 'correct horse 東京'), true)
      assert.equal(await hasher.verify(hash, 'correct horse 東亰'), false)
      assert.equal(await hasher.verify(hash, ''), false)
    })

    test('returns hashes that reveal neither the password nor that two passwords are equal', async (hasher) => {
      const [one, other] = [await hasher.hash('swordfish'), await hasher.hash('swordfish')]
      assert.notEqual(one, other)
      assert.equal(one.includes('swordfish'), false)
    })

    test('returns false for a text that is not a hash', async (hasher) => {
      for (const hash of ['', 'swordfish', '$argon2id$v=19$', '\u0000']) {
        assert.equal(await hasher.verify(hash, 'swordfish'), false)
      }
    })
  })
}

/** Tests for every CommonPasswords: it contains the commonest passwords, however they are typed, and no others. */
export function commonPasswordsSuite(runner: TestRunner, name: string, create: CreateSubject<CommonPasswords>): void {
  defineSuite(runner, `CommonPasswords: ${name}`, create, (test) => {
    test('contains the commonest passwords, in any case and with white space around them', async (list) => {
      for (const password of ['password', '123456', 'PassWord', ' password\t', '\u00a0123456\n']) {
        assert.equal(await list.has(password), true, JSON.stringify(password))
      }
    })

    test('does not contain uncommon passwords', async (list) => {
      const others = [
        '',
        ' ',
        'pass word',
        'correct horse 東京',
        '\u0000',
        '__proto__',
        'x'.repeat(1_000),
        '🐎'.repeat(1_000),
      ]
      for (const password of others) assert.equal(await list.has(password), false, password.slice(0, 40))
    })

    test('answers many concurrent calls', async (list) => {
      const calls = Array.from({ length: 50 }, (_, at) => list.has(at % 2 === 0 ? '123456' : 'correct horse 東京'))
      assert.deepEqual(
        await Promise.all(calls),
        calls.map((_, at) => at % 2 === 0),
      )
    })
  })
}

/** Codes of RFC 6238, appendix B: the last 6 of their 8 digits. The secret is the seed of that page, in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const RFC_CODES = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

/** Tests for all OneTimePasswords: they equal those that authenticator apps show. */
export function oneTimePasswordsSuite(runner: TestRunner, name: string, create: CreateSubject<OneTimePasswords>): void {
  const at = (seconds: number): Date => new Date(seconds * 1_000)

  defineSuite(runner, `OneTimePasswords: ${name}`, create, (test) => {
    // A96
    test('accepts the codes of RFC 6238, appendix B', async (passwords) => {
      for (const [seconds, code] of RFC_CODES) {
        assert.equal(await passwords.stepOf(RFC_SECRET, code, at(seconds), 0), Math.floor(seconds / 30))
      }
    })

    // A96
    test('accepts codes of as many steps before and after the current one as the window says', async (passwords) => {
      const [[, code]] = RFC_CODES
      // The step starts at second 30 and ends at second 60.
      for (const [seconds, window, step] of [
        [29, 0, undefined],
        [30, 0, 1],
        [59.999, 0, 1],
        [60, 0, undefined],
        [0, 1, 1],
        [89.999, 1, 1],
        [90, 1, undefined],
        [119, 2, 1],
        [120, 2, undefined],
      ] as const) {
        assert.equal(await passwords.stepOf(RFC_SECRET, code, at(seconds), window), step, `${seconds} s, ${window}`)
      }
    })

    // A96
    test('rejects a text that is not a valid code', async (passwords) => {
      const others = ['', '287083', '28708', '2870820', '94287082', ' 287082', '287082\n', '٢٨٧٠٨٢', '-28708', '2e7082']
      for (const code of others) {
        assert.equal(await passwords.stepOf(RFC_SECRET, code, at(59), 1), undefined, JSON.stringify(code))
      }
    })

    // A96
    test('generates a different secret of 160 bits each time', async (passwords) => {
      const secrets = await Promise.all(Array.from({ length: 20 }, () => passwords.createSecret()))
      assert.equal(new Set(secrets).size, 20)
      for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/)
      const codes = secrets.map((secret) => passwords.stepOf(secret, '287082', at(59), 0))
      assert.ok((await Promise.all(codes)).filter((step) => step !== undefined).length <= 1)
    })

    // A96
    test('builds a URI for apps with the secret, the issuer and the account', async (passwords) => {
      const label = { issuer: 'Grüße & Co: 東京', account: 'a+b@example.com', secret: RFC_SECRET }
      const uri = new URL(await passwords.uriOf(label))
      assert.equal(uri.protocol, 'otpauth:')
      assert.match(uri.href, /^otpauth:\/\/totp\//)
      const path = decodeURIComponent(uri.href.split('?')[0] ?? '')
      assert.equal(path, 'otpauth://totp/Grüße & Co  東京:a+b@example.com')
      const given = Object.fromEntries(uri.searchParams)
      const expected = { secret: RFC_SECRET, issuer: 'Grüße & Co  東京', algorithm: 'SHA1', digits: '6', period: '30' }
      assert.deepEqual(given, expected)
    })
  })
}

/** A mailer, and a function that returns the mails that it sent. */
export interface MailerUnderTest extends Mailer {
  /** Every complete mail so far: headers and content, decoded. */
  received(): Promise<readonly string[]>
}

/** Tests for every Mailer. */
export function mailerSuite(runner: TestRunner, name: string, create: CreateSubject<MailerUnderTest>): void {
  defineSuite(runner, `Mailer: ${name}`, create, (test) => {
    const mail: Mail = {
      to: { name: 'Zoë "Z"', address: 'zoe@example.com' },
      subject: 'Ein Gruß aus 東京',
      text: 'Plain: https://example.com/setup?token=abc',
      html: '<p>Rich: <a href="https://example.com/setup?token=abc">open</a></p>',
    }

    test('sends subject, text and HTML to the recipient', async (mailer) => {
      await mailer.send(mail)
      const [received = ''] = await mailer.received()
      for (const part of ['zoe@example.com', 'Zoë', 'Ein Gruß aus 東京', 'Plain: https://example.com', '<p>Rich:']) {
        assert.ok(received.includes(part), `${part} is in the mail`)
      }
      assert.equal((await mailer.received()).length, 1)
    })

    test('does not let a name or a subject add headers', async (mailer) => {
      await mailer.send({
        ...mail,
        to: { name: 'Eve\r\nBcc: other@example.com', address: 'eve@example.com' },
        subject: 'x\r\nBcc: other@example.com',
      })
      const [received = ''] = await mailer.received()
      assert.doesNotMatch(received, /^Bcc:/im)
    })
  })
}

import { describe, expect, it } from 'vitest'
import { parseEmailAddress } from '../../../src/tenancy/users/identity.js'

describe('an e-mail address', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' ada@example.com ', 'ada@example.com'],
    ['ada+tag@example.com', 'ada+tag@example.com'],
    ['ÄDA@example.com', 'äda@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
    ['owner@localhost', 'owner@localhost'],
  ])('%j is compared as %j', (typed, key) => {
    expect(parseEmailAddress(typed)).toEqual({ email: typed.trim(), emailKey: key })
  })

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'a b@example.com',
    'a@b@example.com',
    'ada@exa mple.com',
    'ada@a/b',
    'ada@b:80',
    'Ada <ada@example.com>',
    `${'a'.repeat(320)}@example.com`,
    'ada@\u0000.com',
  ])('must not be %j', (typed) => {
    expect(() => parseEmailAddress(typed)).toThrow(/email: must be an e-mail address/)
  })
})

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashByWebCrypto, hashText } from '../../../src/kernel/hash-text.js'

describe('the hash of a text', () => {
  it('is the same in every runtime, also for text that is not well-formed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.integer({ max: 0xffff, min: 0 }).map(String.fromCharCode) }),
        async (text) => {
          expect(await hashText(text)).toBe(await hashByWebCrypto(text))
        },
      ),
    )
  })

  it('is 128 bits of SHA-256 as base64url', async () => {
    const expected = createHash('sha256').update('grüße\0').digest().subarray(0, 16).toString('base64url')
    expect(await hashText('grüße\0')).toBe(expected)
  })
})

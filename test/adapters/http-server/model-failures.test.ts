import { describe, expect, it } from 'vitest'
import { problem } from '../../../adapters/node-kit/index.js'
import { ModelError } from '../../../src/ports/index.js'

const SECRET = 'the server at http://10.0.0.7 said no'

describe('the answer to a failure of the embedding model', () => {
  it.each<[ModelError, string]>([
    [new ModelError('ERR_MODEL_UNAVAILABLE', SECRET, { retryAfterMs: 12_300 }), '13'],
    [new ModelError('ERR_MODEL_UNAVAILABLE', SECRET, { retryAfterMs: 1 }), '1'],
    [new ModelError('ERR_MODEL_UNAVAILABLE', SECRET), '1'],
    [new ModelError('ERR_MODEL_REFUSED', SECRET), '60'],
    [new ModelError('ERR_MODEL_CHANGED', SECRET), '60'],
  ])('is 503 with the time of a retry, and without the message: %o', async (error, seconds) => {
    const answer = problem(error)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, seconds])
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ status: 503, code: error.code })
    expect(text).not.toContain('10.0.0.7')
  })
})

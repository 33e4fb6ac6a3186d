import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS, type EngineLimits } from '../../../src/index.js'
import { memoryEngine } from '../engine/memory-engine.js'

describe('the limits of an engine', () => {
  it.each<[string, Partial<Record<keyof EngineLimits, unknown>>, string]>([
    ['an unknown name', { contexts: 5 } as never, 'limits.contexts'],
    ['zero', { usersPerCompany: 0 }, 'limits.usersPerCompany'],
    ['a fraction', { promptTokens: 1.5 }, 'limits.promptTokens'],
    ['a text', { promptTokens: '7' }, 'limits.promptTokens'],
  ])('refuse %s', async (_name, limits, field) => {
    await expect(memoryEngine({ limits: limits as never })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field })
  })

  it('accept one number without the others', async () => {
    const { engine } = await memoryEngine({ limits: { promptTokens: 7 } })
    await engine.close()
    expect(DEFAULT_LIMITS.promptTokens).toBe(2_048)
  })
})

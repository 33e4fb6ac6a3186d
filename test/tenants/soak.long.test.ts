import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { type PreparedTenants, prepareTenants, runTenants } from './run-tenants.js'

const SECONDS = sized(2, 20)
const CONTEXTS = sized(60, 1_000)
/** The other attacks have quicker tests of their own. */
const ATTACKS = ['lists', 'uploads', 'bodies', ...(IS_FULL_FORM ? ['answers', 'searches', 'mails'] : [])]
const PEAK_MB = 1_536

/** The short form of `npm run soak:tenants`, which also checks latencies. */
describe('a tenant that attacks', () => {
  let prepared: PreparedTenants

  beforeAll(async () => {
    prepared = await prepareTenants(CONTEXTS)
  }, 180_000)

  afterAll(async () => {
    await prepared.remove()
  })

  // A39
  it.each(ATTACKS)(
    'by %s does not stop another tenant from finding its chunks, and the server keeps its memory',
    async (attack) => {
      const report = await runTenants({ attack, seconds: SECONDS, contexts: CONTEXTS, prepared })
      expect(report.search.failures + report.health.failures).toBe(0)
      expect(report.search.requests).toBeGreaterThan(SECONDS)
      expect(report.attempts, 'the attack').not.toEqual({})
      expect(report.peakMb).toBeLessThan(PEAK_MB)
    },
    180_000,
  )
})

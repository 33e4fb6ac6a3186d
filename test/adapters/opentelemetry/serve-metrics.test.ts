import { afterEach, describe, expect, it, vi } from 'vitest'
import { serveMetrics } from '../../../adapters/opentelemetry/index.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the metrics for Prometheus', () => {
  it.each([
    ['alcove', undefined],
    ['alcove', ''],
    ['handbook', 'handbook'],
  ])('name the service %s if OTEL_SERVICE_NAME is %s', async (name, variable) => {
    vi.stubEnv('OTEL_SERVICE_NAME', variable)
    const metrics = await serveMetrics({ port: 0 })
    try {
      const text = await (await fetch(metrics.address)).text()
      expect(text).toMatch(new RegExp(`^target_info\\{(?:.*,)?service_name="${name}"`, 'm'))
    } finally {
      await metrics.close()
    }
  })
})

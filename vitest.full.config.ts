import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import config from './vitest.config.js'

/** All tests in their full form; see `test/full-form.ts`. */
const full: ViteUserConfig = mergeConfig(config, {
  test: { env: { ALCOVE_FULL: '1' }, testTimeout: 300_000, maxWorkers: 2 },
})

export default full

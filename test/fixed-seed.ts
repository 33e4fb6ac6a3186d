import fc from 'fast-check'
import { beforeEach, onTestFailed } from 'vitest'
import { SEED } from './seeded-random.js'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

beforeEach(() => {
  onTestFailed(() => void process.stderr.write(`random values of this test: ALCOVE_SEED=${SEED}\n`))
})

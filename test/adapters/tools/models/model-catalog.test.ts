import { describe, expect, it } from 'vitest'
import { MODEL_CATALOG } from '../../../../adapters/tools/models/model-catalog.js'
import { MULTILINGUAL_MODEL } from '../../../../src/documents/languages/multilingual-model.js'

describe('the model that the engine advises for many languages', () => {
  it('is one that can be downloaded, with the size that the advice names', () => {
    const model = MODEL_CATALOG.find(({ name }) => name === MULTILINGUAL_MODEL.id)
    expect([model?.sizeMb, model?.problem]).toEqual([MULTILINGUAL_MODEL.sizeMb, null])
  })
})

import { DeviceEmbeddingModel } from '../adapters/device/index.js'
import { bundledModel } from './bundled-model.js'

const KEPT = Symbol.for('alcove.tests.kept-model')

/**
 * The bundled model and its tokenizer stay in memory to the end of this process, as in a host that keeps an engine open.
 * Otherwise each test with an engine of its own would load them, which takes half a second of a processor.
 */
if (!Reflect.has(globalThis, KEPT)) {
  const model = await DeviceEmbeddingModel.open(bundledModel, { isReadOnly: true })
  Reflect.set(globalThis, KEPT, { model, tokenizer: await model.tokenizer() })
}

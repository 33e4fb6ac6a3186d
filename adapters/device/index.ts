/** EmbeddingModel on this device: it runs embedding models of any tokenizer on ONNX Runtime (`onnxruntime-node`). */
export {
  type ModelFacts,
  type ModelProfileChanges,
  modelFactsOf,
  type OpenFolderOptions,
  openModelFolder,
  profileOf,
  writeProfile,
} from './describe-model-folder.js'
export { DeviceEmbeddingModel } from './device-embedding-model.js'
export type { DeviceTokenizer, InputOptions } from './device-tokenizer.js'
export { dimensionsInFiles } from './model-dimensions.js'
export {
  type ModelFolder,
  type ModelProfileFile,
  type ModelSource,
  TOKENIZER_FILE,
  toModelFolder,
  WEIGHTS_FILES,
} from './model-folder.js'
export { openTokenizer, type TokenizerKind, tokenizerKindOf } from './open-tokenizer.js'

/** EmbeddingModel on this device for models of any tokenizer (`@xenova/transformers`). */
export type { DeviceEmbeddingModel, EmbeddingInput, EncodeOptions, OpenFolderOptions } from '../node-kit/index.js'
export { XenovaEmbeddingModel } from './xenova-embedding-model.js'
export { XenovaTokenizer } from './xenova-tokenizer.js'

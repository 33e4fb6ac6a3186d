/** EmbeddingModel on this device for models of any tokenizer (`@xenova/transformers`). */
export { XenovaEmbeddingModel } from './xenova-embedding-model.js'
export { XenovaTokenizer } from './xenova-tokenizer.js'

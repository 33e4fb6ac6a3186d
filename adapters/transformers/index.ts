/** EmbeddingModel on ONNX Runtime, on the device. */
export { TransformersEmbeddingModel } from './transformers-embedding-model.js'
export { WordPieceTokenizer, type WordPieceTokenizerOptions } from './word-piece-tokenizer.js'

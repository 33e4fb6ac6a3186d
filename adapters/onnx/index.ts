/** EmbeddingModel on ONNX Runtime, on the device. */
export { OnnxEmbeddingModel } from './onnx-embedding-model.js'
export { WordPieceTokenizer, type WordPieceTokenizerOptions } from './word-piece-tokenizer.js'

/** EmbeddingModel on this device: it runs embedding models on ONNX Runtime (`onnxruntime-node`). */
export type { DeviceEmbeddingModel, EmbeddingInput, OpenFolderOptions } from '../node-kit/index.js'
export { OnnxEmbeddingModel } from './onnx-embedding-model.js'

/** EmbeddingModel on a server with the protocol of OpenAI's `/v1/embeddings`, such as Ollama, vLLM or OpenAI itself. */
export { OpenAiEmbeddingModel } from './openai-embedding-model.js'
export type { OpenAiModelOptions } from './openai-model-options.js'

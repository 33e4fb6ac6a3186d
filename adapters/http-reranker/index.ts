/** Reranker on a server with the protocol of `/v1/rerank`, such as vLLM, llama.cpp, text-embeddings-inference or Jina. */
export { HttpReranker } from './http-reranker.js'
export type { HttpRerankerOptions } from './http-reranker-options.js'

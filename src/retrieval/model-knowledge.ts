import type { Tokenizer } from '../ports/index.js'

/** How much of a prompt the vocabulary of a model knows, 0 to 1. */
export function modelKnowledge(_prompt: string, _tokenizer: Tokenizer): number {
  return 1
}

export type { ChatMessage, ChatPrompt, ChatSource } from './chat/chat-prompt.js'
export { mergePassages, type ReadText } from './chat/merged-passages.js'
export { PrepareChat } from './chat/prepare-chat.js'
export {
  PASSAGE_KINDS,
  type PassageKind,
  type PrepareBody,
  type PrepareOptions,
  prepareBodySchema,
} from './chat/prepare-input.js'
export type { Correction, Passage } from './densest-passage.js'
export {
  type ExplainedDocuments,
  type ExplainedHit,
  type ExplainedModel,
  type ExplainedPart,
  type ExplainedReranking,
  type ExplainedWord,
  REASON_CODES,
  type Reason,
  type ReasonCode,
  type SearchExplanation,
} from './explain/explanation.js'
export { measureSimilarity } from './floor/similarity-scales.js'
export type { HistoryMessage } from './history-words.js'
export type { ContextSearchResult } from './joined-search.js'
export type { FoundBy } from './ranking/near-chunks.js'
export type { ResultSource, SearchResult } from './results.js'
export { Search } from './search.js'
export {
  checkedOptions,
  type ExplainBody,
  explainBodySchema,
  type IncludedMember,
  type SearchAllBody,
  type SearchBody,
  type SearchOptions,
  searchAllBodySchema,
  searchBodySchema,
} from './search-input.js'
export { WORD_MATCHINGS, type WordMatching } from './word-matching.js'

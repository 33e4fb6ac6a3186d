export type { FoundBy } from './chunks.js'
export type {
  ExplainedDocuments,
  ExplainedHit,
  ExplainedModel,
  ExplainedWord,
  SearchExplanation,
} from './explanation.js'
export type { ContextSearchResult } from './joined-search.js'
export { REASON_CODES, type Reason, type ReasonCode } from './reasons.js'
export type { Passage, ResultSource, SearchResult } from './results.js'
export { Search } from './search.js'
export {
  type ExplainBody,
  explainBodySchema,
  type IncludedMember,
  type SearchAllBody,
  type SearchBody,
  type SearchOptions,
  searchAllBodySchema,
  searchBodySchema,
} from './search-input.js'

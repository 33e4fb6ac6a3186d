export type { FoundBy } from './chunks.js'
export type { Passage, ResultSource, SearchResult } from './results.js'
export { Search } from './search.js'
export { type IncludedMember, type SearchBody, type SearchOptions, searchBodySchema } from './search-input.js'

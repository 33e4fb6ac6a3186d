export type { FoundBy } from './known-chunks.js'
export type { Passage } from './passage.js'
export type { ResultSource, SearchResult } from './read-results.js'
export { type IncludedMember, Search, type SearchBody, type SearchOptions, searchBodySchema } from './search.js'

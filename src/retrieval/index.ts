export type { SearchResult } from './read-results.js'
export { Search, type SearchOptions, searchBodySchema } from './search.js'

export { Search, type SearchOptions, type SearchResult, searchBodySchema } from './search.js'

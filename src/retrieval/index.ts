export { Search, type SearchOptions, type SearchResult } from './search.js'

export { definedTerms, definitionPrefixes, definitionsIn, definitionTerms } from './acronyms.js'
export {
  ANALYZER_VERSION,
  analyze,
  inflectedWords,
  isGram,
  questionTerms,
  questionWords,
  type Term,
  termsOf,
} from './analyzer.js'
export { type OtherSpelling, otherSpellings } from './other-spellings.js'
export { textParts } from './scan.js'
export { START_MARK } from './term.js'

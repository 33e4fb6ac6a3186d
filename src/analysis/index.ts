export { ANALYZER_VERSION, analyze, questionTerms, type Term, termsOf } from './analyzer.js'
export { textParts } from './scan.js'

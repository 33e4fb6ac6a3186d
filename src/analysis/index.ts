export { ANALYZER_VERSION, questionTerms, type Term, termsOf, analyze } from './analyzer.js'

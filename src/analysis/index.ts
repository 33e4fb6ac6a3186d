export { ANALYZER_VERSION, analyze, type Term, termsOf } from './analyze.js'
export { questionTerms } from './question-terms.js'
export { textParts } from './text-parts.js'

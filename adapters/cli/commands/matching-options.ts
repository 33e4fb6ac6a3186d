import type { Option } from '@commander-js/extra-typings'
import { WORD_MATCHINGS, type WordMatching } from '../../../src/index.js'
import { option, parseNumber } from '../options.js'

/** The option `--words` of commands that search. */
export function wordsOption(): Option<'--words <matching>', undefined, undefined, undefined, false, WordMatching> {
  return option(
    '--words <matching>',
    'similar: words also find their inflections and typing errors (default); exact: only themselves',
  ).choices(WORD_MATCHINGS)
}

/** The option `--min-evidence` of commands that search. */
export function minEvidenceOption(): Option<'--min-evidence <number>', undefined, undefined, number> {
  return option(
    '--min-evidence <number>',
    'least evidence that the documents answer, 0 to 1; 0 gives results for nonsense too; default: 1',
  ).argParser(parseNumber)
}

/** The option `--list-copies` of commands that search. */
export function listCopiesOption(): Option<'--list-copies'> {
  return option('--list-copies', 'list each chunk; by default, chunks with the same text count once')
}

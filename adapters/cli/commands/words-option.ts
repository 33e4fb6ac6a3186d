import type { Option } from '@commander-js/extra-typings'
import { WORD_MATCHINGS, type WordMatching } from '../../../src/index.js'
import { option } from '../options.js'

/** The option `--words` of commands that search. */
export function wordsOption(): Option<'--words <matching>', undefined, undefined, undefined, false, WordMatching> {
  return option(
    '--words <matching>',
    'similar: words also find their inflections and typing errors (default); exact: only themselves',
  ).choices(WORD_MATCHINGS)
}

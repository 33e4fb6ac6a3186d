/** How a document may end by what its tag says of it: completed, or refused with one of these codes. */
const ANY_REFUSAL = [
  'ERR_CORRUPT_FILE',
  'ERR_EMPTY_FILE',
  'ERR_ENCRYPTED',
  'ERR_EXTRACTION_LIMIT',
  'ERR_EXTRACTION_TIMEOUT',
  'ERR_NO_TEXT',
  'ERR_UNSUPPORTED_FORMAT',
  'ERR_WRONG_TYPE',
]

const REFUSALS: Readonly<Record<string, readonly string[]>> = {
  corrupt: ANY_REFUSAL,
  fuzzed: ANY_REFUSAL,
  'malicious-or-odd': ANY_REFUSAL,
  'zip-xml-bomb': ANY_REFUSAL,
  // A certificate, or a way of encrypting that nobody knows any more, is as good as a password.
  encrypted: ['ERR_ENCRYPTED', 'ERR_NO_TEXT'],
  empty: ['ERR_NO_TEXT', 'ERR_EMPTY_FILE'],
  'scanned-or-image-only': ['ERR_NO_TEXT'],
  encoding: ['ERR_UNDECODABLE_TEXT'],
  'old-word': ['ERR_UNSUPPORTED_FORMAT'],
}

/** Real documents may have no text, or be of a kind that only shares its ending with one that is read. */
const OF_THE_OTHERS = ['ERR_NO_TEXT', 'ERR_UNSUPPORTED_FORMAT', 'ERR_WRONG_TYPE']

/** @param outcome `completed`, or the code of the error */
export function isExpected(tag: string, outcome: string): boolean {
  return outcome === 'completed' || (REFUSALS[tag] ?? OF_THE_OTHERS).includes(outcome)
}

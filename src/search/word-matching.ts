/** The ways in which words of a prompt find words of documents. */
export const WORD_MATCHINGS = ['similar', 'exact'] as const

export type WordMatching = (typeof WORD_MATCHINGS)[number]

/** German for sentences of the server: a pattern of the whole sentence, and what replaces it, with `$1` for its parts. */
export type GermanSentences = readonly (readonly [pattern: RegExp, german: string])[]

/** @param pairs patterns of English sentences without their end, and German for them */
export function patternsOf(pairs: Readonly<Record<string, string>>): GermanSentences {
  return Object.entries(pairs).map(([english, german]) => [new RegExp(`^${english}$`, 's'), german])
}

/** @returns undefined for a sentence that no pattern matches */
export function inGerman(german: GermanSentences, english: string): string | undefined {
  const plain = english.trim().replace(/\.$/, '')
  const found = german.find(([pattern]) => pattern.test(plain))
  return found && plain.replace(found[0], found[1])
}

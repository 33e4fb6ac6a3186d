/** No writing comes near it: English has 5, and a table with wide columns 20. */
const CHARACTERS_PER_TOKEN = 64

/**
 * Most characters, in UTF-16 units, of a chunk or window of so many tokens. It is what ends a text
 * that has hardly any tokens: white space, and characters that the model drops.
 */
export function maxCharacters(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN
}

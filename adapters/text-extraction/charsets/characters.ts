/** What characters are, remembered: the same few are asked for again and again. */

export const isLetter: (character: string) => boolean = remembered(
  (character) => /^[\p{L}\p{M}]$/u.test(character) && !/^[ªºµˆ]$/.test(character),
)
/** Letters, and marks that are combined with them. */
export const isLatin: (character: string) => boolean = remembered((character) =>
  /^[\p{Script=Latin}\p{Script=Inherited}]$/u.test(character),
)
export const isEuropean: (character: string) => boolean = remembered((character) =>
  /^[\p{Script=Cyrillic}\p{Script=Greek}]$/u.test(character),
)
export const isLookalike: (character: string) => boolean = remembered((character) =>
  /^[aceijopsxyABCEHIJKMOPTX]$/.test(character),
)
export const isCapital: (character: string) => boolean = remembered((character) => /^\p{Lu}$/u.test(character))
export const isSmall: (character: string) => boolean = remembered((character) => /^\p{Ll}$/u.test(character))
export const isUnreadable: (character: string) => boolean = remembered(
  (character) => character === '\uFFFD' || /^[\p{Cc}\p{Co}\p{Cn}]$/u.test(character),
)

export function remembered<Answer>(answer: (character: string) => Answer): (character: string) => Answer {
  const answers = new Map<string, Answer>()
  return (character) => {
    const known = answers.get(character)
    if (known !== undefined) return known
    const found = answer(character)
    answers.set(character, found)
    return found
  }
}

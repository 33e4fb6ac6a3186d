/** Properties of characters. The answers are cached, because the same few characters occur very often. */

export const isLetter: (character: string) => boolean = cached(
  (character) => /^[\p{L}\p{M}]$/u.test(character) && !/^[ªºµˆ]$/.test(character),
)
/** True for Latin letters, and for combining marks. */
export const isLatin: (character: string) => boolean = cached((character) =>
  /^[\p{Script=Latin}\p{Script=Inherited}]$/u.test(character),
)
export const isEuropean: (character: string) => boolean = cached((character) =>
  /^[\p{Script=Cyrillic}\p{Script=Greek}]$/u.test(character),
)
export const isLookalike: (character: string) => boolean = cached((character) =>
  /^[aceijopsxyABCEHIJKMOPTX]$/.test(character),
)
export const isCapital: (character: string) => boolean = cached((character) => /^\p{Lu}$/u.test(character))
export const isSmall: (character: string) => boolean = cached((character) => /^\p{Ll}$/u.test(character))
export const isUnreadable: (character: string) => boolean = cached(
  (character) => character === '\uFFFD' || /^[\p{Cc}\p{Co}\p{Cn}]$/u.test(character),
)

export function cached<Answer>(answer: (character: string) => Answer): (character: string) => Answer {
  const answers = new Map<string, Answer>()
  return (character) => {
    const cachedAnswer = answers.get(character)
    if (cachedAnswer !== undefined) return cachedAnswer
    const newAnswer = answer(character)
    answers.set(character, newAnswer)
    return newAnswer
  }
}

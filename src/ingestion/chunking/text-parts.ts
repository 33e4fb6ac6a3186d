/** Longest text that is cut in one go: a few milliseconds of work. */
const MAX_PART_CHARACTERS = 32_768

/** Parts of a text, none ending between the halves of a surrogate pair. */
export function* textParts(text: string, maxCharacters: number = MAX_PART_CHARACTERS): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + maxCharacters)
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1
    yield text.slice(at, end)
    at = end
  }
}

/** Text that is analysed in one go: some milliseconds of work. */
const MOST_CHARACTERS = 16_384

/** A part of a text, and where it begins, in UTF-16 units. */
interface TextPart {
  readonly start: number
  readonly text: string
}

/**
 * Parts of a text that end at white space, which is in no term: together they have the terms of the whole. A text
 * without any white space is one part, however long.
 */
export function* textParts(text: string): Generator<TextPart> {
  const space = /\s/g
  for (let start = 0; start < text.length; ) {
    space.lastIndex = start + MOST_CHARACTERS
    const end = space.exec(text)?.index ?? text.length
    yield { start, text: text.slice(start, end) }
    start = end
  }
}

import type { DocumentChunk } from '../../../src/index.js'

/**
 * The form in which texts are compared: upper case, compatible characters as one, and each white space as one blank.
 * Upper case, because the lower case of a letter may depend on its neighbours.
 */
export function comparable(text: string): string {
  return collapse(text).trim()
}

/**
 * True if a text has more than half of a passage. That is all of it, its end at the beginning of the text, its beginning
 * at the end of the text, or a text from its middle.
 *
 * @param text in comparable form
 * @param passage in comparable form, not empty
 */
export function hasMostOf(text: string, passage: string): boolean {
  if (text.includes(passage)) return true
  const shortest = Math.floor(passage.length / 2) + 1
  if (text.length < shortest) return false
  if (passage.includes(text)) return true
  for (let length = passage.length - 1; length >= shortest; length -= 1) {
    if (text.startsWith(passage.slice(-length)) || text.endsWith(passage.slice(0, length))) return true
  }
  return false
}

/**
 * Finds the passages that a document does not have.
 *
 * @param chunks all chunks of the document, in their order
 * @param passages in comparable form
 */
export async function passagesNotIn(
  chunks: AsyncIterable<Pick<DocumentChunk, 'content' | 'start' | 'end'>>,
  passages: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const missing = new Set(passages)
  const longest = Math.max(0, ...[...missing].map(({ length }) => length))
  let [tail, end] = ['', 0]
  for await (const chunk of chunks) {
    // A chunk repeats the end of the one before. The text between two chunks is white space.
    const added = chunk.content.slice(Math.max(0, end - chunk.start))
    const text = collapse(`${tail}${chunk.start > end ? ' ' : ''}${added}`)
    for (const passage of missing) if (text.includes(passage)) missing.delete(passage)
    if (missing.size === 0) break
    tail = text.slice(-longest)
    end = Math.max(end, chunk.end)
  }
  return missing
}

function collapse(text: string): string {
  return text.normalize('NFKC').toUpperCase().replaceAll(/\s+/gu, ' ')
}

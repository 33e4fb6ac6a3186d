// cspell:ignore defmodule defp
import { BOUNDARY } from './boundaries.js'

/** Characters of a line that tell what it is. */
const LOOKED_AT = 200
/** Words that stand before the keyword of a definition. */
const MODIFIERS =
  'export default declare public private protected internal static final abstract async pub unsafe extern inline virtual override sealed partial open data suspend const'
/** Keywords that a name follows. */
const KEYWORDS =
  'function class interface enum struct trait impl def fn func fun module namespace package object record sub procedure subroutine defmodule defp'
const DEFINITION = new RegExp(
  `^(?:(?:${MODIFIERS.replaceAll(' ', '|')})\\b(?:\\([^)]{0,40}\\))?\\s+)*` +
    `(?:(?:${KEYWORDS.replaceAll(' ', '|')})\\b\\*?[\\s<(]+[\\p{L}_$"'[(]|(?:public|private|protected|internal)\\s+\\S|create\\s+(?:or\\s+replace\\s+)?(?:temp\\w*\\s+)?(?:table|view|function|procedure|index|trigger|type)\\b)`,
  'iu',
)
/** A comment, or a note of the compiler, that belongs to the line below it. */
const ABOVE_DEFINITION = /^(?:\/\/|\/\*|\*|#(?!include|define|if|endif|else)|--|;;|@|"""|'''|\[)/
/** The end of a block belongs to the block. */
const CLOSING = /^(?:[)\]}]|end\b)/

/**
 * Rates a boundary in source code, as `rateBoundary` does in prose. The best places are in front of a definition, with the
 * comment above it, and of an unindented line behind an empty one; then any empty line; then the end of a line. The end of
 * a sentence in a comment is no place for a cut.
 */
export function rateCodeBoundary(text: string, end: number, start: number): number {
  let lineBreaks = 0
  let lineStart = end
  for (let offset = end; offset < start; offset += 1) {
    const unit = text.charCodeAt(offset)
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(offset + 1) !== 0x0a)) {
      lineBreaks += 1
      lineStart = offset + 1
    }
  }
  if (lineBreaks === 0) return start > end ? BOUNDARY.word : BOUNDARY.inside
  const line = text.slice(start, start + LOOKED_AT)
  if (CLOSING.test(line)) return BOUNDARY.line
  const isDefinition = DEFINITION.test(line)
  if (lineBreaks > 1) return isDefinition || lineStart === start ? BOUNDARY.heading : BOUNDARY.paragraph
  return isDefinition && !ABOVE_DEFINITION.test(lineBefore(text, end)) ? BOUNDARY.paragraph : BOUNDARY.line
}

/** The line that ends at an offset, without its indentation. */
function lineBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - LOOKED_AT), end)
  return before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1).trimStart()
}

/** The end of a piece that begins at `start` and has at most `maxUnits` UTF-16 units, never inside a code point. */
export function pieceEnd(text: string, start: number, maxUnits: number): number {
  const end = Math.min(text.length, start + maxUnits)
  const lastUnit = text.charCodeAt(end - 1)
  return end > start && end < text.length && lastUnit >= 0xd800 && lastUnit < 0xdc00 ? end - 1 : end
}

/** Replaces characters that some databases cannot store: zeros and halves of surrogate pairs. Keeps the length. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

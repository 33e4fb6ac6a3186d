/** Shares of chunks, by where they begin. */
export interface Beginnings {
  /** The beginning of the text, a Markdown heading, or behind a blank line. */
  readonly paragraph: number
  /** Behind the end of a sentence. */
  readonly sentence: number
  /** Behind other white space. */
  readonly word: number
  readonly insideAWord: number
}

const PROBE_CHARACTERS = 80

/** Looks each chunk up in its text, and at what stands before it. Peers trim chunks, and some change white space. */
export function countBeginnings(
  text: string,
  chunks: readonly string[],
  counts: Record<keyof Beginnings, number>,
): void {
  let from = 0
  for (const chunk of chunks) {
    const probe = chunk.trimStart().slice(0, PROBE_CHARACTERS)
    const at = text.indexOf(probe, from)
    if (at === -1) continue
    from = at + 1
    counts[beginningAt(text, at)] += 1
  }
}

function beginningAt(text: string, at: number): keyof Beginnings {
  const before = text.slice(Math.max(0, at - 200), at)
  const isHeading = /(^|\n)$/.test(before) && text[at] === '#'
  if (isHeading || before.trim() === '' || /\n[ \t]*\n\s*$/.test(before)) return 'paragraph'
  if (/[.!?…]["')\]”’*_]*\s+$/.test(before)) return 'sentence'
  return /\s$/.test(before) ? 'word' : 'insideAWord'
}

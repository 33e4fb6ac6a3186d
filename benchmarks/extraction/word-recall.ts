/** The words of a text with their counts. A word has letters, marks and digits, after NFKC and lower-casing. */
function words(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** The share of a reference's words that a text has, with their counts. `undefined` if the reference has no words. */
export function wordRecall(reference: string, text: string): number | undefined {
  const found = words(text)
  let total = 0
  let hits = 0
  for (const [word, count] of words(reference)) {
    total += count
    hits += Math.min(count, found.get(word) ?? 0)
  }
  return total === 0 ? undefined : hits / total
}

/** The text of a document in pandoc's native format. */
export function nativeText(native: string): string {
  const parts = native.matchAll(
    /\bStr\s+"((?:[^"\\]|\\.)*)"|\b(Space|SoftBreak|LineBreak)\b|\b(Para|Plain|Header|Cell)\b/g,
  )
  return Array.from(parts, ([, text]) => (text === undefined ? ' ' : unescapeHaskell(text))).join('')
}

function unescapeHaskell(text: string): string {
  return text.replaceAll(/\\(\d+)(\\&)?|\\(.)/g, (_whole, code?: string, _gap?: string, character?: string) => {
    if (code !== undefined) return String.fromCodePoint(Number(code))
    return { n: '\n', t: '\t', '&': '' }[character ?? ''] ?? character ?? ''
  })
}

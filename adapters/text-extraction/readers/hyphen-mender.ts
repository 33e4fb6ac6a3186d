/** The most words of a document that are remembered. */
const MAX_WORDS = 100_000
const WORD = /[\p{L}\p{M}\p{N}]+(?:[-\u2010][\p{L}\p{M}\p{N}]+)*/gu
/** A hyphen after a letter at the end of a line, and the first word of the next line. */
const CUT =
  /(?<![\p{L}\p{M}\-\u2010])(?<start>[\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*)(?<hyphen>[-\u2010\u00AD])[ \t]*\n(?<end>[\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*)/gu
/** Words after a hyphen that stands for the rest of a compound: "pre- and post-war". */
const CONJUNCTION = /^(?:and|or|und|oder|bzw|et|ou|y|e|ed|o|och|eller|og|i|lub|и|или)$/u

/** Joins words that are cut at the end of a line. It uses the other words of the document to decide. */
export class HyphenMender {
  readonly #words = new Set<string>()

  /** @param text a page of the document. Pass the pages in their order */
  mend(text: string): string {
    this.#remember(text)
    return text
      .replace(CUT, (cut, start: string, hyphen: string, end: string) => {
        return this.#isCut(start, end) ? this.#join(start, hyphen, end) : cut
      })
      .replaceAll('\u00AD', '')
  }

  #remember(text: string): void {
    for (const [word] of text.matchAll(WORD)) {
      if (this.#words.size >= MAX_WORDS) return
      this.#words.add(fold(word))
    }
  }

  /** False for a capital after small letters: it begins another word, as in "Anglo-Saxon". */
  #isCut(start: string, end: string): boolean {
    return /^\p{Lu}/u.test(end) ? /^\P{Ll}{2,}$/u.test(start) && /^\P{Ll}{2,}$/u.test(end) : /^\p{Ll}/u.test(end)
  }

  #join(start: string, hyphen: string, end: string): string {
    const isKnown = this.#words.has(fold(start + end))
    if (hyphen === '\u00AD' || isKnown) return start + end
    if (CONJUNCTION.test(end)) return `${start}${hyphen} ${end}`
    const isCompound = this.#words.has(fold(`${start}-${end}`))
    return isCompound ? `${start}${hyphen}${end}` : start + end
  }
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll('\u2010', '-')
}

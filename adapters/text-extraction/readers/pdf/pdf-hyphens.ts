/** As many words of a document are remembered. */
const MAX_WORDS = 100_000
const WORD = /[\p{L}\p{M}\p{N}]+(?:[-\u2010][\p{L}\p{M}\p{N}]+)*/gu
/** The end of a line that has a hyphen after a letter, and the word that the next one begins with. */
const CUT =
  /(?<![\p{L}\p{M}\-\u2010])(?<start>[\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*)(?<hyphen>[-\u2010\u00AD])[ \t]*\n(?<end>[\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*)/gu
/** After a hyphen that stands for the rest of a compound: "pre- and post-war". */
const CONJUNCTION = /^(?:and|or|und|oder|bzw|et|ou|y|e|ed|o|och|eller|og|i|lub|и|или)$/u

/** Joins words that were cut at the end of a line, by what is known of a document's words. */
export class HyphenMender {
  readonly #words = new Set<string>()

  /** @param text a page of the document; pages come in their order */
  mend(text: string): string {
    this.#remember(text)
    return text
      .replace(CUT, (cut, start: string, hyphen: string, end: string) => {
        return this.#isCut(start, end) ? this.#joined(start, hyphen, end) : cut
      })
      .replaceAll('\u00AD', '')
  }

  #remember(text: string): void {
    for (const [word] of text.matchAll(WORD)) {
      if (this.#words.size >= MAX_WORDS) return
      this.#words.add(fold(word))
    }
  }

  /** A capital after small letters begins a word of its own: "Anglo-Saxon". */
  #isCut(start: string, end: string): boolean {
    return /^\p{Lu}/u.test(end) ? /^\P{Ll}{2,}$/u.test(start) && /^\P{Ll}{2,}$/u.test(end) : /^\p{Ll}/u.test(end)
  }

  #joined(start: string, hyphen: string, end: string): string {
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

import type { LexicalQuery, SimilarTerms } from '../ports/index.js'

/** The terms of a prompt, and those of the context that counted as them. One search makes it for all of its results. */
export class PromptTerms {
  readonly #promptTermByTerm: ReadonlyMap<string, string>

  constructor(
    readonly weights: LexicalQuery,
    private readonly similar: ReadonlyMap<string, SimilarTerms>,
    /** The inverse document frequency of each term, times its weight. */
    readonly idfs: ReadonlyMap<string, number> = weights,
    /** Terms that the prompt does not have, but means. */
    private readonly added: ReadonlySet<string> = new Set(),
  ) {
    const best = new Map<string, { readonly term: string; readonly weight: number }>()
    for (const [term, { terms }] of similar) {
      // Other parts of the prompt have groups of their own.
      if (!weights.has(term)) continue
      for (const [other, weight] of terms)
        if (weight > (best.get(other)?.weight ?? 0)) best.set(other, { term, weight })
    }
    for (const term of weights.keys()) best.set(term, { term, weight: 1 })
    this.#promptTermByTerm = new Map([...best].map(([other, { term }]) => [other, term]))
  }

  /** @returns the term of the prompt that a term of a text counts as: the one that it is most like */
  termFor(term: string): string | undefined {
    return this.#promptTermByTerm.get(term)
  }

  /**
   * @returns how much a term of a text is like a term of the prompt that the context does not have, above 0 and at most
   *   1; 0 for a term of the prompt that the context has, and for one that the prompt does not have
   */
  correctionWeight(promptTerm: string, term: string): number {
    const group = this.similar.get(promptTerm)
    return group?.isKnown === false && !this.added.has(promptTerm) ? (group.terms.get(term) ?? 0) : 0
  }
}

/** Length of the parts by which words are compared, in UTF-16 units. */
const GRAM_LENGTH = 4
/** Stands before the first letter of a word: words with the same beginning are more alike. No term has this character. */
const START = '\u0001'
const MIN_LENGTH = 4
/** Length of the shortest term that has a part. */
const MIN_PART_LENGTH = 3
const MAX_LENGTH = 64
/** Letters with their marks, and no digits: an identifier stands for itself. */
const WORD = /^[\p{L}\p{M}]+$/u
/** Scripts without spaces between words: their terms are pairs of characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Letters of two UTF-16 units: a change of one unit would cut them. */
const SURROGATE = /[\ud800-\udfff]/
/** Minimum likeness of two terms that count as similar. */
const MIN_LIKENESS = 0.5
/** The weight of a term is its likeness to this power: see `docs/explanation/decisions.md` for the choice. */
const WEIGHT_POWER = 3
/** A shorter word is not corrected: too many others are one letter away. */
const MIN_CORRECTED_LENGTH = 5
/** Minimum likeness, by parts of two letters, of a word with one that it was mistyped for: `wear` is not meant by `year`. */
const MIN_CORRECTION = 0.55
/** A shorter word is not taken for two joined ones: `carpet` is no `car` and no `pet`. */
const MIN_JOINED_LENGTH = 8
/** Length of the shorter one of two joined words. */
const MIN_JOINED_PART = 3
/** Two words in the place of one that the collection has something like, from this weight on, would be a guess. */
const MAX_WEIGHT_OF_JOINED = 0.25
/** Maximum number of terms that count as one, beside the word itself. */
const MAX_SIMILAR_TERMS = 24
/** The most unknown words of a question that are corrected: each has some hundred possible corrections. */
const MAX_CORRECTED = 16
/** The most words that one word may have been mistyped for. */
const MAX_CORRECTIONS = 4

/** True for a word of a question that can have similar words: four letters or more, no digits, in a script with spaces. */
export function canHaveSimilar(term: string): boolean {
  return term.length >= MIN_LENGTH && canBeSimilar(term)
}

/** True for a term of a text that can be similar to a word: three letters or more, no digits, in a script with spaces. */
export function canBeSimilar(term: string): boolean {
  if (term.length < MIN_PART_LENGTH || term.length > MAX_LENGTH || SURROGATE.test(term)) return false
  return WORD.test(term) && !UNSPACED.test(term)
}

/** @returns the different parts of a word: all runs of four characters, with a mark before the first */
export function gramsOf(word: string): ReadonlySet<string> {
  return partsOfLength(word, GRAM_LENGTH)
}

function partsOfLength(word: string, length: number): ReadonlySet<string> {
  const marked = START + word
  const parts = new Set<string>()
  for (let at = 0; at + length <= marked.length; at += 1) parts.add(marked.slice(at, at + length))
  return parts
}

/** @returns the number of parts that two words share */
export function sharedGrams(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const gram of other) if (one.has(gram)) shared += 1
  return shared
}

/** @returns the number of all parts of a word. Hardly a word has a part twice. */
export function partsOf(word: string): number {
  return word.length + 2 - GRAM_LENGTH
}

/** A term that may be similar to a word. */
export interface SharingTerm {
  /** The number of parts that it shares with the word. */
  readonly shared: number
  /** The number of all its parts: see {@link partsOf}. */
  readonly parts: number
}

/**
 * Chooses the terms that may count as a word: those that are similar to it, or the most similar ones if they are too many.
 * @param parts the number of parts of the word
 */
export function mostSimilar<Term extends SharingTerm>(parts: number, terms: readonly Term[]): readonly Term[] {
  const likenessOf = (term: Term): number => likeness(parts, term)
  const similar = terms.filter((term) => likenessOf(term) >= MIN_LIKENESS)
  // The word itself may be one of them.
  if (similar.length <= MAX_SIMILAR_TERMS + 1) return similar
  const least = similar.map(likenessOf).sort((one, other) => other - one)[MAX_SIMILAR_TERMS] ?? 0
  return similar.filter((term) => likenessOf(term) >= least)
}

/** Dice's coefficient. */
function likeness(parts: number, other: SharingTerm): number {
  return (2 * other.shared) / (parts + other.parts)
}

/** The terms of a collection that count as one word of a question. */
export interface SimilarTerms {
  /** True if the collection has the word itself. */
  readonly isKnown: boolean
  /** Weights of the other terms, above 0 and at most 1. */
  readonly terms: ReadonlyMap<string, number>
}

/** The terms of a collection, as {@link findSimilar} reads them. */
export interface Vocabulary {
  /**
   * @returns which of the words the collection has; and for each word, the terms that {@link mostSimilar} chooses for it,
   *   with the numbers of parts that they share with it
   */
  readonly readShared: (words: readonly string[]) => Promise<{
    readonly known: ReadonlySet<string>
    readonly shared: readonly ReadonlyMap<string, number>[]
  }>
  /** @returns which of some hundred terms the collection has */
  readonly readExisting: (terms: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * Finds the terms that count as words of a question: their inflections, and words that are made of them. For a word that
 * the collection does not have, it also finds words that this one may have been mistyped for.
 *
 * - Two words are as alike as Dice's coefficient of their parts: twice the number of parts that they share, divided by the
 *   number of all their parts. The weight of a term is the cube of that. Source: Dice 1945, "Measures of the Amount of
 *   Ecologic Association Between Species".
 * - A word that the collection does not have may be one change of a letter away from terms. These count if they are alike
 *   by parts of two letters too, and with them the terms that are like them. The best weight is then 1.
 * - A word that the collection does not have, and nothing like it, may be two terms without the space between them. Both
 *   count, and the terms that are like them.
 *
 * @param words those for which {@link canHaveSimilar} is true
 * @throws the error of the vocabulary
 */
export async function findSimilar(
  vocabulary: Vocabulary,
  words: readonly string[],
): Promise<ReadonlyMap<string, SimilarTerms>> {
  if (words.length === 0) return new Map()
  const { known, shared } = await vocabulary.readShared(words)
  const weights = words.map((word, at) => weightsOf(word, shared[at] ?? new Map()))
  const unknown = words
    .filter((word) => word.length >= MIN_CORRECTED_LENGTH && !known.has(word))
    .slice(0, MAX_CORRECTED)
  const changed = new Map(unknown.map((word) => [word, oneChangeFrom(word)]))
  const cuts = new Map(unknown.map((word) => [word, cutsOf(word)]))
  const asked = new Set([...changed.values(), ...[...cuts.values()].flat()].flatMap((terms) => [...terms]))
  const existing = asked.size === 0 ? asked : await vocabulary.readExisting([...asked])
  const corrections = words.map((word, at) => {
    const found = [...(changed.get(word) ?? [])].filter((term) => existing.has(term) && canBeMeant(word, term))
    for (const term of found) raise(weights[at], term, likenessOfPairs(word, term) ** WEIGHT_POWER)
    if (Math.max(0, ...(weights[at]?.values() ?? [])) < MAX_WEIGHT_OF_JOINED) {
      const joined = cuts.get(word)?.find((cut) => cut.every((part) => existing.has(part))) ?? []
      for (const part of joined) raise(weights[at], part, 1)
      found.push(...joined)
    }
    return found
      .sort((one, other) => (weights[at]?.get(other) ?? 0) - (weights[at]?.get(one) ?? 0))
      .slice(0, MAX_CORRECTIONS)
  })
  const right = [...new Set(corrections.flat())]
  const likeRight = right.length === 0 ? [] : (await vocabulary.readShared(right)).shared
  for (const [at, found] of corrections.entries()) {
    for (const correction of found) {
      const share = weights[at]?.get(correction) ?? 0
      const alike = weightsOf(correction, likeRight[right.indexOf(correction)] ?? new Map())
      for (const [term, weight] of alike) raise(weights[at], term, share * weight)
    }
  }
  return new Map(words.map((word, at) => [word, bestOf(weights[at] ?? new Map(), known.has(word))]))
}

/** @returns the pairs of words that a long word may be, those of most equal length first; none for a short one */
function cutsOf(word: string): readonly (readonly [string, string])[] {
  if (word.length < MIN_JOINED_LENGTH) return []
  const places = Array.from({ length: word.length - 2 * MIN_JOINED_PART + 1 }, (_, at) => at + MIN_JOINED_PART)
  const distance = (at: number): number => Math.abs(2 * at - word.length)
  return places
    .sort((one, other) => distance(one) - distance(other))
    .map((at) => [word.slice(0, at), word.slice(at)] as const)
}

/** True if a word may have been mistyped for a term that is one change of a letter away. Short words need most in common. */
function canBeMeant(word: string, term: string): boolean {
  return likenessOfPairs(word, term) >= MIN_CORRECTION
}

function likenessOfPairs(one: string, other: string): number {
  const [first, second] = [partsOfLength(one, 2), partsOfLength(other, 2)]
  return (2 * sharedGrams(first, second)) / (first.size + second.size)
}

/** Maps terms to their weights, above 0 and at most 1. */
type Weights = Map<string, number>

function weightsOf(word: string, shared: ReadonlyMap<string, number>): Weights {
  const weights: Weights = new Map()
  for (const [term, count] of shared) {
    const alike = likeness(partsOf(word), { shared: count, parts: partsOf(term) })
    if (term !== word && alike >= MIN_LIKENESS) weights.set(term, Math.min(1, alike ** WEIGHT_POWER))
  }
  return weights
}

function raise(weights: Weights | undefined, term: string, weight: number): void {
  if (weight > (weights?.get(term) ?? 0)) weights?.set(term, weight)
}

function bestOf(weights: Weights, isKnown: boolean): SimilarTerms {
  const best = [...weights].sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1))
  const scale = isKnown ? 1 : (best[0]?.[1] ?? 1)
  return { isKnown, terms: new Map(best.slice(0, MAX_SIMILAR_TERMS).map(([term, weight]) => [term, weight / scale])) }
}

/** Alphabets by a letter of theirs. Terms are folded, so their letters have no accents. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[\u0430-\u044f]/, 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
  [/[\u03b1-\u03c9]/, 'αβγδεζηθικλμνξοπρστυφχψω'],
  [/[\u05d0-\u05ea]/, 'אבגדהוזחטיךכלםמןנסעףפץצקרשת'],
  [/[\u0627-\u064a]/, 'ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئ'],
]

/** @returns the words that one change of a letter makes of a word: some hundred, of the letters of its script */
function oneChangeFrom(word: string): ReadonlySet<string> {
  const alphabet = ALPHABETS.find(([pattern]) => pattern.test(word))?.[1] ?? ''
  const letters = new Set((alphabet + word).split(''))
  const changed = new Set<string>()
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    if (after !== '') changed.add(before + after.slice(1))
    if (after.length > 1) changed.add(before + after.charAt(1) + after.charAt(0) + after.slice(2))
    for (const letter of letters) {
      changed.add(before + letter + after)
      if (after !== '') changed.add(before + letter + after.slice(1))
    }
  }
  changed.delete(word)
  return changed
}

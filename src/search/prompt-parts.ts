import type { LexicalQuery } from '../ports/index.js'
import type { WeighedWords } from './history-words.js'
import { promptTerms, similarWordsOf } from './prompt.js'
import { quotationsIn, quotedWords } from './quotations.js'

/** A part of a prompt that can be all that the prompt asks for, or the whole prompt. */
export interface PromptPart {
  readonly text: string
  readonly terms: LexicalQuery
  /** The terms that count together with similar ones. */
  readonly similarTo: ReadonlySet<string>
  /** True if it ends with a question mark. */
  readonly isQuestion: boolean
  /** Terms that the text does not have, but means. Default: none. */
  readonly added?: ReadonlySet<string>
}

/** Maximum number of parts of a prompt: each is a read of the word index. */
const MAX_PARTS = 24
/** Maximum number of questions that stand alone in a prompt of more parts. */
const MAX_QUESTIONS = 9
/** A part with fewer terms belongs to the part beside it: a greeting, an abbreviation, a label such as `Question:`. */
const MIN_TERMS = 2
/** Length up to which a quotation stays in one part, in UTF-16 units: a longer one is a text that was pasted. */
const MAX_QUOTATION = 1_000

/** The end of a sentence, with the white space behind it; or line breaks. Each run of marks is read from its start only. */
const PART_END =
  /(?:(?<![.!?:\u2026\u061f])[.!?:\u2026\u061f]+["'\u201d\u2019\u00bb)\]]*(?=\s|$)|[。！？：।]+[」』）”]*|\n)\s*/gu
/** A full stop behind an initial or an abbreviation such as `e.g.`, which ends no sentence. */
const ABBREVIATION = /(?:^|[\s.(])\p{L}\.\s*$/u
/** UTF-16 units before a full stop that tell an abbreviation: a letter of two units, and the character before it. */
const MAX_ABBREVIATION = 3
const DIGIT = /^\p{N}/u
/** The last letter or number of a text, with all that follows. */
const LAST_WORD_END = /(?:^|[\p{L}\p{N}])[^\p{L}\p{N}]*$/u
/** Also the semicolon behind a Greek word. */
const QUESTION_MARK = /[?\u061f？]|\p{Script=Greek}\s*[;\u037e]/u

/**
 * @param coverage share of the part that the context covers, 0 to 1: the better, the less does the part lean on a history
 * @returns the part with the words of a history beside its own
 */
export function withHistory(part: PromptPart, { terms: added, similarTo }: WeighedWords, coverage: number): PromptPart {
  const terms = new Map(part.terms)
  for (const [term, weight] of added) terms.set(term, (terms.get(term) ?? 0) + weight * (1 - coverage))
  // A word that the part quotes stays as it is.
  const addedSimilar = [...similarTo].filter((word) => !part.terms.has(word))
  return { ...part, terms, similarTo: new Set([...part.similarTo, ...addedSimilar]) }
}

/**
 * @param quoted the words that stand for themselves alone; default: those that the text quotes
 * @returns the whole of a text as a part
 */
export function wholePart(text: string, quoted?: ReadonlySet<string>): PromptPart {
  const isQuestion = QUESTION_MARK.test(LAST_WORD_END.exec(text)?.[0] ?? '')
  return { text, terms: promptTerms(text), similarTo: similarWordsOf(text, quoted), isQuestion }
}

/**
 * Cuts a prompt at ends of sentences, colons and line breaks, but not within a quotation. Neighbours are joined if there
 * are more than 24 parts, but neither the last questions nor the first and the last part.
 *
 * @returns none for a prompt of one part
 */
export function promptParts(prompt: string): readonly PromptPart[] {
  const quoted = quotedWords(prompt)
  const toPart = (text: string): PromptPart => wholePart(text, quoted)
  const parts = joinMany(joinShort(sentencesOf(prompt)).map(toPart), toPart)
  return parts.length > 1 ? parts : []
}

function sentencesOf(prompt: string): readonly string[] {
  const maxLength = Math.min(MAX_QUOTATION, prompt.trim().length - 1)
  const quotations = quotationsIn(prompt).filter(({ start, end }) => end - start <= maxLength)
  const sentences: string[] = []
  let from = 0
  let next = 0
  for (const { index, 0: end } of prompt.matchAll(PART_END)) {
    const to = index + end.length
    while ((quotations[next]?.end ?? to + 1) <= to) next += 1
    if ((quotations[next]?.start ?? to) < to) continue
    if (end.startsWith('.') && !end.includes('\n')) {
      const before = prompt.slice(Math.max(from, index - MAX_ABBREVIATION), to)
      if (ABBREVIATION.test(before) || DIGIT.test(prompt.slice(to))) continue
    }
    sentences.push(prompt.slice(from, to))
    from = to
  }
  return [...sentences, prompt.slice(from)]
}

/** Joins a sentence with few terms with the next one, and the last one with the one before it. @returns none without terms */
function joinShort(sentences: readonly string[]): readonly string[] {
  const joined: string[] = []
  let short = ''
  let terms = new Set<string>()
  for (const sentence of sentences) {
    short += sentence
    for (const term of promptTerms(sentence).keys()) terms.add(term)
    if (terms.size < MIN_TERMS) continue
    joined.push(short)
    short = ''
    terms = new Set()
  }
  const last = short === '' ? undefined : joined.pop()
  return last === undefined ? joined : [...joined, last + short]
}

function joinMany(parts: readonly PromptPart[], toPart: (text: string) => PromptPart): readonly PromptPart[] {
  if (parts.length <= MAX_PARTS) return parts
  const questions = [...parts.keys()].filter((at) => parts[at]?.isQuestion === true)
  const kept = new Set([0, parts.length - 1, ...questions.slice(-MAX_QUESTIONS)])
  // Each part that is kept may end a run early.
  const size = Math.ceil((parts.length - kept.size) / (MAX_PARTS - 1 - 2 * kept.size))
  const joined: PromptPart[] = []
  let run: PromptPart[] = []
  const endRun = (): void => {
    if (run.length > 0) joined.push(toPart(run.map(({ text }) => text).join('')))
    run = []
  }
  for (const [at, part] of parts.entries()) {
    if (kept.has(at) || run.length >= size) endRun()
    if (kept.has(at)) joined.push(part)
    else run.push(part)
  }
  endRun()
  return joined
}

/** The part of a prompt that decides. */
export interface DecidingPart {
  readonly part: PromptPart
  /** Share of the part that the best chunk covers, 0 to 1: its BM25 divided by the maximum. */
  readonly coverage: number
}

/** The part of a prompt that decides for words, once it is known. The first decision stands. */
export class PartChoice {
  readonly #settled: Promise<DecidingPart>
  #decide: (decided: DecidingPart) => void = () => undefined
  #decided: DecidingPart | undefined

  constructor() {
    this.#settled = new Promise((resolve) => {
      this.#decide = resolve
    })
  }

  get decided(): DecidingPart | undefined {
    return this.#decided
  }

  /** @returns the first decision */
  decide(decided: DecidingPart): DecidingPart {
    this.#decided ??= decided
    this.#decide(this.#decided)
    return this.#decided
  }

  /** @returns the part, once one is decided */
  async settled(): Promise<PromptPart> {
    return (await this.#settled).part
  }
}

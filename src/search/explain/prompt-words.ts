import { analyze, questionWords, START_MARK } from '../../analysis/index.js'
import { type GenerationOwner, wordCollectionOf } from '../../documents/index.js'
import type { TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import type { ContextRecord, LexicalIndex, LexicalQuery, TermCount } from '../../ports/index.js'
import type { Access } from '../../tenancy/index.js'
import type { SearchParts } from '../context-search.js'
import { readSearchable, type VisibleDocuments } from '../searchable-documents.js'
import { unlessDamaged } from '../unless-damaged.js'
import type { ExplainedWord } from './explanation.js'

/** Maximum number of other contexts in which an explanation of an empty answer looks for the words of the prompt. */
const MAX_OTHER_CONTEXTS = 20
const NO_COUNTS: ReadonlyMap<string, TermCount> = new Map()

/** Finds out where the words of a prompt are: in how many documents of a context, and in which other context. */
export class PromptWords {
  constructor(
    private readonly parts: Pick<SearchParts, 'storage' | 'turns'>,
    private readonly index: LexicalIndex,
  ) {}

  /** Counts the words in documents that words may find. A damaged word index counts nothing. */
  async count(
    context: GenerationOwner,
    terms: LexicalQuery,
    visible: VisibleDocuments,
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, TermCount>> {
    if (terms.size === 0) return NO_COUNTS
    const count = async () =>
      await this.index.countTerms(wordCollectionOf(context), [...terms.keys()], visible.indexOptions)
    return await unlessDamaged(this.parts.turns.words.one(taker, count, signal), NO_COUNTS)
  }

  /**
   * Looks for the words of the prompt in other contexts that the caller may read, in documents that words find now.
   *
   * @returns the context that has most of the words; `undefined` if none has any
   */
  async findOther(
    { principal }: Access,
    { id, accountId }: ContextRecord,
    words: readonly ExplainedWord[],
    taker: TurnTaker,
    signal: AbortSignal,
  ): Promise<Pick<ContextRecord, 'id' | 'name'> | undefined> {
    const terms = new Map(words.filter((word) => !word.isQuestionWord).map(({ term }) => [term, 1]))
    if (terms.size === 0) return undefined
    const filter = { accountId, ...(principal.sight !== 'account' && { visibleTo: principal.userId }) }
    const contexts = await this.parts.storage.read(async (repositories) => {
      const ids = await repositories.contexts.listIds(filter, { after: 0, limit: MAX_OTHER_CONTEXTS + 1 })
      const found: ContextRecord[] = []
      for (const other of ids) {
        const context = other === id ? undefined : await repositories.contexts.get(other)
        if (context !== undefined) found.push(context)
      }
      return found.slice(0, MAX_OTHER_CONTEXTS)
    })
    let best: { readonly context: ContextRecord; readonly words: number } | undefined
    for (const context of contexts) {
      const { byWords } = await readSearchable(this.parts.storage, context, { filter: undefined, hasTerms: true })
      const { size } = await this.count(context, terms, byWords, taker, signal)
      if (size > (best?.words ?? 0)) best = { context, words: size }
    }
    return best && { id: best.context.id, name: best.context.name }
  }
}

/**
 * @param texts the prompt, then the texts of the history whose words count
 * @param terms the terms of the prompt, then those of the history
 * @returns the words that a search uses, in the order of their texts
 */
export function explainWords(
  texts: readonly string[],
  [terms, before]: readonly [LexicalQuery, LexicalQuery],
  counts: ReadonlyMap<string, TermCount>,
): ExplainedWord[] {
  const words = new Map<string, ExplainedWord>()
  for (const [at, text] of texts.entries()) {
    const asked = questionWords(text)
    for (const { term, start, end } of analyze(text)) {
      if (!(at === 0 ? terms : before).has(term) || words.has(term) || term.startsWith(START_MARK)) continue
      const { documents, chunks } = counts.get(term) ?? { documents: 0, chunks: 0 }
      words.set(term, {
        word: text.slice(start, end),
        term,
        isQuestionWord: asked.has(term),
        isFromHistory: at > 0,
        documents,
        chunks,
        similar: [],
      })
    }
  }
  return [...words.values()]
}

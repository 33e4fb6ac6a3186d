import { REASON_CODES, type Reason, type ReasonCode, type SearchExplanation } from './explanation.js'

/** The facts that reasons follow from. */
export interface SearchFacts extends Omit<SearchExplanation, 'reasons' | 'hits'> {
  /** Number of results. */
  readonly hitCount: number
  /** The minimum of the search. */
  readonly minEvidence: number
  readonly findsEarly: boolean
  /** True if the search has a filter that no document meets. */
  readonly isFilterEmpty: boolean
  /** Number of waiting documents whose words are indexed. */
  readonly waitingWithWords: number
  /** True if the vector index has any chunk that the search may find. */
  readonly hasVectors: boolean
  /** The message of the error of a model that cannot be used. */
  readonly modelProblem: string | undefined
  /** Another context that the caller may read and that has words of the prompt which this one does not have. */
  readonly otherContext: { readonly id: number; readonly name: string } | undefined
}

/** Knowledge of a model below which its similarities say little. */
const LITTLE_KNOWLEDGE = 0.2

/** @returns the causes of an empty or short answer, the likeliest first; none if the answer has `topN` results */
export function reasonsFor(facts: SearchFacts): Reason[] {
  if (facts.hitCount >= facts.topN) return []
  const found: Partial<Record<ReasonCode, string>> = {
    ...contextReasons(facts),
    ...documentReasons(facts),
    ...promptReasons(facts),
  }
  return REASON_CODES.flatMap((code) => {
    const message = found[code]
    return message === undefined ? [] : [{ code, message }]
  })
}

type Messages = Partial<Record<ReasonCode, string>>

function contextReasons({ modelProblem, otherContext, isFilterEmpty, documents: { total } }: SearchFacts): Messages {
  return {
    ...(modelProblem !== undefined && {
      'model-unavailable': `The embedding model of the context cannot be used: ${modelProblem}.`,
    }),
    ...(otherContext !== undefined && {
      'other-context': `The context ${otherContext.id} (${otherContext.name}) has words of the prompt that this context does not have: search there.`,
    }),
    ...(total === 0 && { 'no-documents': 'The context has no documents: upload some.' }),
    ...(total > 0 &&
      isFilterEmpty && {
        'filter-excludes-all': `The filter matches none of the documents (${total}): change or remove it.`,
      }),
  }
}

function documentReasons({
  documents,
  waitingWithWords,
  hasVectors,
  mode,
  findsEarly,
  modelProblem,
  isFilterEmpty,
}: SearchFacts): Messages {
  const { total, searchable, waiting, foundByWordsOnly, failed, withoutWords } = documents
  if (total === 0 || isFilterEmpty) return {}
  return {
    ...(failed > 0 &&
      searchable + waiting === 0 && {
        'all-failed': `The processing of all documents failed (${failed}): the list of documents has their errors.`,
      }),
    ...(waitingWithWords > 0 &&
      !findsEarly &&
      mode !== 'semantic' && {
        'early-finding-off': `Documents are still processed (${waitingWithWords}), and the setting findsEarly of the context is off: wait, or set it to true.`,
      }),
    ...(foundByWordsOnly > 0 &&
      mode === 'semantic' && {
        'words-only-yet': `Only words find some documents yet (${foundByWordsOnly}), and the mode is semantic: wait, or search in the mode hybrid.`,
      }),
    ...(waiting > 0 && {
      'still-processing': `Documents are still processed (${waiting} of ${total}): wait until they are completed.`,
    }),
    ...(searchable > 0 &&
      !hasVectors &&
      modelProblem === undefined && {
        'vectors-missing': `The vector index has no chunk of the completed documents (${searchable}): run "alcove doctor".`,
      }),
    ...(withoutWords > 0 &&
      mode !== 'semantic' && {
        'words-not-indexed': `The words of some documents are not indexed yet (${withoutWords}): wait, or search in the mode semantic.`,
      }),
  }
}

function promptReasons(facts: SearchFacts): Messages {
  const { mode, words, bestSimilarity, scoreThreshold, model, documents } = facts
  // Without documents to search, nothing is wrong with the prompt.
  if (documents.searchable + (facts.findsEarly ? documents.foundByWordsOnly : 0) === 0) return {}
  if (documents.filtered === 0) return {}
  const isBelow = bestSimilarity !== null && bestSimilarity < scoreThreshold
  const knowledge = model.knowledge ?? 1
  const { evidence, minEvidence } = facts
  return {
    ...(words.length === 0 &&
      mode !== 'semantic' &&
      isBelow && {
        'prompt-without-words': 'The prompt has no word, so only its meaning counts: name what you look for.',
      }),
    ...(mode === 'keyword' && wordReasons(facts)),
    ...(evidence !== null &&
      evidence < minEvidence && {
        'no-evidence': `The documents have few words of the prompt, and nothing near it in meaning (evidence ${evidence.toFixed(2)} of ${minEvidence}): ask about what they say, or set minEvidence to 0.`,
      }),
    ...(isBelow &&
      knowledge < LITTLE_KNOWLEDGE && {
        'language-unknown': `The model ${model.id} knows little of the language of the prompt, so its similarities are low: set scoreThreshold to 0, or use a multilingual model.`,
      }),
    ...(isBelow && {
      'threshold-too-high': `The best similarity is ${bestSimilarity.toFixed(3)}, below the scoreThreshold ${scoreThreshold}: lower it.`,
    }),
  }
}

function wordReasons({ words, hitCount }: SearchFacts): Messages {
  const isFound = ({ documents, similar }: (typeof words)[number]): boolean => documents > 0 || similar.length > 0
  if (words.length === 0 || words.some((word) => isFound(word) && !word.isQuestionWord)) return {}
  if (words.every(({ isQuestionWord }) => isQuestionWord)) {
    return {
      'only-question-words':
        'The prompt has only words such as "what" and "the", which say nothing: name what you look for.',
    }
  }
  // An acronym is found by the words that a document explains it with.
  if (hitCount > 0) return {}
  return {
    'words-not-found': 'No document has a word of the prompt: use other words, or search in the mode hybrid.',
  }
}

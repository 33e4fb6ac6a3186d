import { AlcoveError, type ContextRecord } from '../../ports/index.js'
import { INDEX_WORDS } from '../job-kinds.js'
import { isOfOlderAnalyzer } from '../vector-collection.js'
import type { ContextWords } from './context-words.js'
import type { Finding } from './finding.js'

/** What is known of the words of a context. */
export interface WordKnowledge {
  readonly words: ContextWords
  /** Of its collections in the word index. */
  readonly wordNames: readonly string[]
  /** Completed documents that this version of the analyzer has not indexed. */
  readonly unindexed: number
  /** Whether a job waits, or is under way, that indexes what is not indexed and removes what is outdated. */
  readonly isIndexWaiting: boolean
}

/** What is wrong with the words of a context as a whole. */
export function wordFindings(
  context: ContextRecord,
  { words, wordNames, unindexed, isIndexWaiting }: WordKnowledge,
): Finding[] {
  const outdated = isIndexWaiting ? [] : wordNames.filter(isOfOlderAnalyzer)
  return [
    ...(unindexed > 0 && !isIndexWaiting ? [unindexedFinding(context, unindexed)] : []),
    ...outdated.map((collection) => ofOtherVersion(context, collection)),
    ...(words.isDamaged ? [unreadable(context, words.collection)] : []),
    ...(words.isUnknown ? [unreadableNow(context, words)] : []),
  ]
}

export function wordsWithoutDocument({ id }: ContextRecord, collection: string, documentId: number): Finding {
  return {
    code: 'words-without-document',
    subject: { contextId: id, documentId, collection },
    message: `Collection ${collection} has words of a document ${documentId}, which context ${id} does not have.`,
    mend: 'remove-words',
  }
}

export function wordsWithoutContext(contextId: number, collection: string): Finding {
  return {
    code: 'words-without-context',
    subject: { contextId, collection },
    message: `Collection ${collection} has words of a context ${contextId} that is not there.`,
    mend: 'sweep',
  }
}

function unindexedFinding({ id, name }: ContextRecord, unindexed: number): Finding {
  const whose = unindexed === 1 ? 'a document whose' : `${unindexed} documents whose`
  return {
    code: 'words-missing',
    subject: { contextId: id, job: INDEX_WORDS },
    message: `Context ${id} (${name}) has ${whose} words are not indexed, and nothing is going to index them.`,
    mend: 'index-words',
  }
}

function ofOtherVersion({ id, name }: ContextRecord, collection: string): Finding {
  return {
    code: 'words-of-other-version',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that an older version of the engine has indexed, in the collection ${collection}: that is no damage, and nothing reads them any more.`,
    mend: 'index-words',
  }
}

function unreadable({ id, name }: ContextRecord, collection: string): Finding {
  return {
    code: 'words-unreadable',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that cannot be read, in the collection ${collection}.`,
    mend: 'drop-words',
  }
}

/** Nothing is removed because it cannot be read for a while. */
function unreadableNow({ id, name }: ContextRecord, { collection, failure }: ContextWords): Finding {
  const reason = failure instanceof AlcoveError ? failure.message : 'the word index failed'
  return {
    code: 'words-unreadable',
    subject: { contextId: id, collection },
    message: `Context ${id} (${name}) has words that cannot be read now, in the collection ${collection}: ${reason}.`,
    advice: 'They may be whole: look after the disk, and verify again; nothing was done to them.',
  }
}

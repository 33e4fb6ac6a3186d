import type {
  ExplainedDocuments,
  ExplainedHit,
  ExplainedPart,
  ExplainedWord,
  SearchExplanation,
} from '../../../src/index.js'
import { counted, messageLine } from './output.js'

/** The most of a part of a prompt that a line shows, in UTF-16 units. */
const MAX_PART_UNITS = 100

/** An explanation with the name of its context. */
export interface NamedExplanation {
  readonly name: string
  readonly explanation: SearchExplanation
}

/** Prints an explanation for people: reasons first, then the facts that they follow from, then the results. */
export function printExplanation({ name, explanation }: NamedExplanation): void {
  const { contextId, mode, topN, scoreThreshold, model, documents, bestSimilarity, evidence } = explanation
  const { parts, words, hits, reasons, reranking } = explanation
  const threshold = `scoreThreshold ${scoreThreshold}`
  const knowledge = model.knowledge === null ? 'cannot be used' : `knows ${percent(model.knowledge)} of the prompt`
  const lines = [
    `context ${contextId} (${name}): ${counted(hits.length, 'result')} of at most ${topN}, mode ${mode}`,
    ...reasons.map(({ code, message }) => `  ${message} [${code}]`),
    `documents: ${describeDocuments(documents)}`,
    `model: ${model.id} ${knowledge}`,
    `best similarity: ${bestSimilarity === null ? 'none' : bestSimilarity.toFixed(3)}, ${threshold}`,
    ...(evidence === null ? [] : [`evidence: ${evidence.toFixed(2)}`]),
    ...(reranking === null
      ? []
      : [`reranker: ${reranking.problem ?? `${reranking.id}, ${counted(reranking.chunks, 'chunk')}`}`]),
    ...(parts.length === 0 ? [] : ['parts:', ...parts.map((part) => `  ${describePart(part)}`)]),
    words.length === 0 ? 'words: none' : 'words:',
    ...words.map((word) => `  ${describeWord(word)}`),
    ...(hits.length === 0 ? [] : ['results:', ...hits.map((hit, at) => `  ${at + 1}. ${describeHit(hit)}`)]),
  ]
  process.stdout.write(`${lines.map(messageLine).join('\n')}\n\n`)
}

function describeDocuments(documents: ExplainedDocuments): string {
  const { total, searchable, waiting, foundByWordsOnly, failed, withoutWords, filtered } = documents
  const parts = [
    `${total} in all`,
    `${searchable} searchable`,
    `${waiting} waiting (${foundByWordsOnly} of them searchable by words)`,
    `${failed} failed`,
    ...(withoutWords > 0 ? [`${withoutWords} without words yet`] : []),
    ...(filtered === null ? [] : [`${filtered} match the filter`]),
  ]
  return parts.join(', ')
}

function describePart({ text, score, maximum, decides }: ExplainedPart): string {
  return `${decides ? 'decides' : 'other'}, score ${score.toFixed(3)} of ${maximum.toFixed(3)}: ${excerptOf(text)}`
}

function excerptOf(text: string): string {
  return text.length <= MAX_PART_UNITS ? text : `${text.slice(0, MAX_PART_UNITS)}…`
}

function describeWord({
  word,
  term,
  isQuestionWord,
  isFromHistory,
  documents,
  chunks,
  similar,
}: ExplainedWord): string {
  const places = `in ${counted(documents, 'document')}, ${counted(chunks, 'chunk')}`
  const counts = `${isQuestionWord ? ', counts little' : ''}${isFromHistory ? ', from the history' : ''}`
  const alike = similar.length === 0 ? '' : `; also ${similar.map((other) => other.term).join(', ')}`
  return `${word}${word === term ? '' : ` (${term})`}: ${places}${counts}${alike}`
}

function describeHit({ source, score, similarity, words, meaning, beforeReranking }: ExplainedHit): string {
  const byWords = `words: rank ${words.rank ?? '-'}, score ${words.score.toFixed(3)}`
  const byMeaning = `meaning: rank ${meaning.rank ?? '-'}, similarity ${similarity.toFixed(3)}`
  const byNames = words.inNames.length === 0 ? '' : `; name or headings: ${words.inNames.join(', ')}`
  const before = beforeReranking === null ? '' : `; before the reranker: rank ${beforeReranking.rank}`
  return `score ${score.toFixed(3)}  ${source.displayName}; ${byWords}${byNames}; ${byMeaning}${before}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

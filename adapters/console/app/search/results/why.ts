import type { ExplainedHit, Explanation, Hit } from '../use-search.js'
import type { RESULT_TEXTS } from './result-texts.js'

type WhyTexts = (typeof RESULT_TEXTS)['en']['why']

/**
 * Says why a hit is at its place.
 *
 * @param explained undefined as long as the explanation is not there
 */
export function whySentence(
  { source, score, similarity }: Pick<Hit, 'source' | 'score' | 'similarity'>,
  explained: ExplainedHit | undefined,
  mode: Explanation['mode'] | undefined,
  texts: WhyTexts,
): string {
  const { foundBy } = source
  const [byWords, byMeaning] = [foundBy.includes('words'), foundBy.includes('meaning')]
  const side = byWords && byMeaning ? texts.both : byWords ? texts.words : texts.meaning
  if (explained === undefined) return side
  const { words, meaning } = explained
  const byMeaningText = meaning.rank === null ? texts.meaningFar : texts.meaningPlace(meaning.rank)
  const byWordsText =
    words.rank !== null ? texts.wordPlace(words.rank) : words.score > 0 ? texts.wordFar : texts.wordNone
  // Words that almost all passages have count nothing: then the score is the similarity.
  const areWordsCommon = words.score > 0 && Math.abs(score - similarity) < 1e-9
  if (mode !== 'semantic' && areWordsCommon) return `${texts.common} ${byMeaningText}`
  if (mode === 'semantic') return `${texts.semantic} ${byMeaningText}`
  if (mode === 'keyword') return `${texts.keyword} ${byWordsText}`
  return `${side} ${byWordsText} ${byMeaningText}`
}

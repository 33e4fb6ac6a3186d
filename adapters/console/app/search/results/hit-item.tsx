import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Badge } from '../../ui/notes.js'
import type { ColumnName } from '../texts.js'
import type { ExplainedHit, Explanation, Hit } from '../use-search.js'
import { excerptOf, piecesOf, type SoughtWord } from './marks.js'
import { useFactFormat } from './reason-texts.js'
import { RESULT_TEXTS } from './result-texts.js'

/** The place of a hit in the other column; undefined if it is not there. */
interface OtherPlace {
  /** The column of the hit itself. */
  readonly column: ColumnName
  readonly otherColumn: ColumnName
  readonly place: number | undefined
}

interface HitItemProps {
  /** From 1. */
  readonly place: number
  readonly hit: Hit
  readonly explained: ExplainedHit | undefined
  readonly explanation: Explanation | undefined
  /** Undefined if there is one context only. */
  readonly contextName: string | undefined
  /** Undefined if there is one column only. */
  readonly other: OtherPlace | undefined
}

/** A hit: where it is from, the passage, and why it is at its place. */
export function HitItem({ place, hit, explained, explanation, contextName, other }: HitItemProps): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  const { score } = useFactFormat()
  const { source } = hit
  return (
    <li className="card search-hit">
      <div className="search-hit-head">
        <span className="search-place" aria-hidden="true">
          {place}
        </span>
        <h3>
          <Link href={addressOf(hit)}>{source.displayName}</Link>
        </h3>
        {other !== undefined && <Move place={place} other={other} />}
      </div>
      <Origin source={source} contextName={contextName} />
      <Passage
        hit={hit}
        words={explanation?.words.filter(({ isQuestionWord }) => !isQuestionWord).flatMap(withSimilar) ?? []}
      />
      <p className="search-why">{whySentence(hit, explained, explanation?.mode, texts.why)}</p>
      <dl className="search-scores">
        <div>
          <dt>{texts.byWords}</dt>
          <dd>{explained === undefined ? '–' : score(explained.words.score, 2)}</dd>
        </div>
        <div>
          <dt>{texts.byMeaning}</dt>
          <dd>{score(hit.similarity)}</dd>
        </div>
        <div>
          <dt>{texts.together}</dt>
          <dd>{score(hit.score)}</dd>
        </div>
      </dl>
    </li>
  )
}

function Move({ place, other }: { readonly place: number; readonly other: OtherPlace }): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  if (other.place === undefined) return <Badge kind="busy">{texts.onlyHere(other.column)}</Badge>
  if (other.place === place) return <Badge>{texts.samePlace(other.otherColumn)}</Badge>
  return <Badge kind="good">{texts.otherPlace(other.otherColumn, other.place, place - other.place)}</Badge>
}

function Origin({
  source,
  contextName,
}: {
  readonly source: Hit['source']
  readonly contextName: string | undefined
}): ReactElement | null {
  const texts = useTexts(RESULT_TEXTS)
  const { pages, headings, metadata, collapsed } = source
  const parts = [
    contextName,
    pages === null ? undefined : texts.pages(pages.first, pages.last),
    headings.length === 0 ? undefined : headings.join(' › '),
    ...Object.entries(metadata).map(([key, value]) => `${key}: ${Array.isArray(value) ? value.join(', ') : value}`),
    collapsed === undefined ? undefined : texts.copies(collapsed),
  ].filter((part) => part !== undefined)
  if (parts.length === 0) return null
  return <p className="soft search-origin">{parts.join(' · ')}</p>
}

function Passage({ hit, words }: { readonly hit: Hit; readonly words: readonly SoughtWord[] }): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  const [isWhole, setWhole] = useState(false)
  const { content, match } = hit
  const excerpt = excerptOf(content, match)
  const isCut = excerpt.start > 0 || excerpt.end < content.length
  const shown = isWhole ? { start: 0, end: content.length } : excerpt
  return (
    <>
      <blockquote className="search-passage">
        {shown.start > 0 && '… '}
        {piecesOf(content, match, words, shown).map(({ start, text, isMatch, isWord }) => {
          const inside = isWord ? <strong>{text}</strong> : text
          return isMatch || isWord ? (
            <mark key={start} className={isMatch ? undefined : 'search-word'}>
              {inside}
            </mark>
          ) : (
            <span key={start}>{text}</span>
          )
        })}
        {shown.end < content.length && ' …'}
      </blockquote>
      {isCut && (
        <div>
          <Button kind="quiet" aria-expanded={isWhole} onPress={() => setWhole(!isWhole)}>
            {isWhole ? texts.excerpt : texts.wholeChunk}
          </Button>
        </div>
      )}
    </>
  )
}

/** The page of the document, which marks the passage: offsets in its extracted text. */
function addressOf({ contextId, docId, id, source, match }: Hit): string {
  const [from, to] = [source.start + match.start, source.start + match.end]
  return `/gpts/${contextId}/documents/${docId}?chunk=${id}&from=${from}&to=${to}`
}

type WhyTexts = (typeof RESULT_TEXTS)['en']['why']

/**
 * Says why a hit is at its place.
 *
 * @param explained undefined as long as the explanation is not there
 */
function whySentence(
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
  const wordPlace = words.rank !== null ? texts.wordPlace(words.rank) : words.score > 0 ? texts.wordFar : texts.wordNone
  const byWordsText = words.inNames.length === 0 ? wordPlace : `${wordPlace} ${texts.wordNames(words.inNames)}`
  // Words that almost all passages have count nothing: then the score is the similarity.
  const areWordsCommon = words.score > 0 && Math.abs(score - similarity) < 1e-9
  if (mode !== 'semantic' && areWordsCommon) return `${texts.common} ${byMeaningText}`
  if (mode === 'semantic') return `${texts.semantic} ${byMeaningText}`
  if (mode === 'keyword') return `${texts.keyword} ${byWordsText}`
  return `${side} ${byWordsText} ${byMeaningText}`
}

/** A word of the question, and the words that counted as it. */
function withSimilar({ word, term, similar }: Explanation['words'][number]): SoughtWord[] {
  return [{ word, term }, ...similar.map((other) => ({ word: other.term, term: other.term }))]
}

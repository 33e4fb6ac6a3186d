import { type ReactElement, useState } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ErrorNote, Note } from '../../ui/notes.js'
import type { SearchSettings, SearchState } from '../search-state.js'
import { type ColumnName, TEXTS } from '../texts.js'
import { type Hit, requestOf, type SearchRequest, useExplanations, useHits } from '../use-search.js'
import { CodeDialog } from './code-dialog.js'
import { HitItem } from './hit-item.js'
import { QuestionFacts } from './question-facts.js'
import { Reasons, type SearchChange } from './reasons.js'
import { RESULT_TEXTS } from './result-texts.js'

interface ResultsProps {
  readonly state: SearchState
  readonly nameOf: (contextId: number) => string
  /** Called with the search to make next. */
  readonly onSearch: (state: SearchState) => void
}

/** The results of one search, or of two with different settings side by side. */
export function Results({ state, nameOf, onSearch }: ResultsProps): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  const { legend } = texts
  const { settings, other } = state
  const [requestA, requestB] = [requestOf(state, settings), other && requestOf(state, other)]
  const [hitsA, hitsB] = [useHits(requestA), useHits(requestB)]
  const [explanationsA, explanationsB] = [useExplanations(requestA, hitsA.data), useExplanations(requestB, hitsB.data)]
  const changed = (which: 'settings' | 'other', before: SearchSettings, change: SearchChange): SearchState => ({
    ...state,
    [which]: { ...before, ...change.settings },
    ...(change.dropsFilter === true && { filter: '' }),
  })
  const said = (hits: typeof hitsA, column: ColumnName | undefined): string =>
    hits.isFetching ? texts.searching : hits.data === undefined ? '' : texts.found(hits.data.length, column)
  return (
    <>
      <p role="status" className="search-status">
        {other === undefined ? said(hitsA, undefined) : `${said(hitsA, 'A')} ${said(hitsB, 'B')}`}
      </p>
      <Corrections
        hits={[...(hitsA.data ?? []), ...(hitsB.data ?? [])]}
        onExact={() => onSearch({ ...state, prompt: `"${state.prompt.replaceAll('"', '')}"` })}
      />
      {[hitsA, hitsB].some(({ data }) => data !== undefined && data.length > 0) && (
        <>
          <p className="hint search-legend">
            <mark>{legend.marked}</mark>: {legend.isMatch} <strong>{legend.bold}</strong>: {legend.isWord}
          </p>
          <p className="hint">
            {texts.scoresHint} {state.contextIds.length > 1 && texts.severalHint}
          </p>
        </>
      )}
      <div className="columns">
        {requestA !== undefined && (
          <ResultColumn
            column={other === undefined ? undefined : 'A'}
            request={requestA}
            hits={hitsA}
            explanations={explanationsA}
            otherHits={hitsB.data}
            nameOf={nameOf}
            onChange={(change) => onSearch(changed('settings', settings, change))}
          />
        )}
        {requestB !== undefined && other !== undefined && (
          <ResultColumn
            column="B"
            request={requestB}
            hits={hitsB}
            explanations={explanationsB}
            otherHits={hitsA.data}
            nameOf={nameOf}
            onChange={(change) => onSearch(changed('other', other, change))}
          />
        )}
      </div>
    </>
  )
}

interface CorrectionsProps {
  readonly hits: readonly Hit[]
  /** Called to search for the words as they were typed. */
  readonly onExact: () => void
}

/** Says which words of the question were taken for others. */
function Corrections({ hits, onExact }: CorrectionsProps): ReactElement | undefined {
  const texts = useTexts(RESULT_TEXTS)
  const meant = new Map(hits.flatMap(({ source }) => source.corrected ?? []).map(({ from, to }) => [from, to]))
  if (meant.size === 0) return undefined
  return (
    <Note kind="info">
      <p>
        {[...meant].map(([from, to]) => texts.corrected(from, to)).join(' ')}{' '}
        <Button kind="quiet" onPress={onExact}>
          {texts.searchExactly}
        </Button>
      </p>
    </Note>
  )
}

interface ResultColumnProps {
  /** Undefined if there is one column only. */
  readonly column: ColumnName | undefined
  readonly request: SearchRequest
  readonly hits: ReturnType<typeof useHits>
  readonly explanations: ReturnType<typeof useExplanations>
  /** The hits of the other column, once they are there. */
  readonly otherHits: readonly Hit[] | undefined
  readonly nameOf: (contextId: number) => string
  readonly onChange: (change: SearchChange) => void
}

/** The hits of one search, with why they are what they are. */
function ResultColumn(props: ResultColumnProps): ReactElement {
  const { column, request, hits, explanations, otherHits, nameOf, onChange } = props
  const texts = useTexts({ en: { ...TEXTS.en, ...RESULT_TEXTS.en }, de: { ...TEXTS.de, ...RESULT_TEXTS.de } })
  const [isCode, setCode] = useState(false)
  const found = hits.data
  const explained = explanations.data ?? []
  const areSeveral = request.contextIds.length > 1
  const topN = request.topN ?? Math.max(0, ...explained.map((each) => each.topN))
  const isShort = found !== undefined && explanations.data !== undefined && found.length < topN
  // A context with few passages needs no reason.
  const needsReasons = isShort && (found.length === 0 || explained.some(({ reasons }) => reasons.length > 0))
  const placeIn = (others: readonly Hit[], hit: Hit): number | undefined => {
    const at = others.findIndex((other) => keyOf(other) === keyOf(hit))
    return at < 0 ? undefined : at + 1
  }
  return (
    <section className="search-column" aria-label={texts.results(column)}>
      <div className="search-column-head">
        <h2>{texts.results(column)}</h2>
        <Button kind="quiet" onPress={() => setCode(true)}>
          {texts.copyCode}
        </Button>
      </div>
      <CodeDialog request={isCode ? request : undefined} onClose={() => setCode(false)} />
      <ErrorNote error={hits.error} onRetry={() => void hits.refetch()} />
      {hits.isFetching && <p className="soft">{texts.searching}</p>}
      {needsReasons && (
        <Reasons
          explanations={explained}
          hitCount={found.length}
          topN={topN}
          nameOf={nameOf}
          areSeveral={areSeveral}
          areAllExplained={explained.length === request.contextIds.length}
          onChange={onChange}
        />
      )}
      <ErrorNote error={explanations.error} onRetry={() => void explanations.refetch()} />
      {found !== undefined && found.length > 0 && (
        <ol className="search-hits">
          {found.map((hit, at) => {
            const explanation = explained.find(({ contextId }) => contextId === hit.contextId)
            return (
              <HitItem
                key={keyOf(hit)}
                place={at + 1}
                hit={hit}
                explanation={explanation}
                explained={explanation?.hits.find(({ docId, id }) => docId === hit.docId && id === hit.id)}
                contextName={areSeveral ? nameOf(hit.contextId) : undefined}
                other={
                  column !== undefined && otherHits !== undefined
                    ? { column, otherColumn: column === 'A' ? 'B' : 'A', place: placeIn(otherHits, hit) }
                    : undefined
                }
              />
            )
          })}
        </ol>
      )}
      {explained.length > 0 && <QuestionFacts explanations={explained} nameOf={nameOf} />}
    </section>
  )
}

function keyOf({ contextId, docId, id }: Hit): string {
  return `${contextId} ${docId} ${id}`
}

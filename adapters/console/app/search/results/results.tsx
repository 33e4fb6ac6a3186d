import type { ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import type { SearchSettings, SearchState } from '../search-state.js'
import type { ColumnName } from '../texts.js'
import { requestOf, useExplanations, useHits } from '../use-search.js'
import type { SearchChange } from './reasons.js'
import { ResultColumn } from './result-column.js'
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

import type { ReactElement, ReactNode } from 'react'
import { useLanguage, useTexts } from '../../texts/phrases.js'
import { Button, ButtonLink } from '../../ui/buttons.js'
import { Note } from '../../ui/notes.js'
import type { SearchSettings } from '../search-state.js'
import type { Explanation } from '../use-search.js'
import { REASON_TEXTS, type ReasonCode, useFactFormat } from './reason-texts.js'
import { RESULT_TEXTS } from './result-texts.js'

/** A change of the search that answers one of its reasons. */
export interface SearchChange {
  readonly settings?: Partial<SearchSettings>
  readonly dropsFilter?: true
}

interface ReasonsProps {
  /** Those of the contexts with reasons. */
  readonly explanations: readonly Explanation[]
  readonly hitCount: number
  readonly topN: number
  readonly nameOf: (contextId: number) => string
  /** True if the search has several contexts, so that each is named. */
  readonly areSeveral: boolean
  readonly areAllExplained: boolean
  readonly onChange: (change: SearchChange) => void
}

/** Why an answer is empty or short, as sentences with what to do. */
export function Reasons(props: ReasonsProps): ReactElement {
  const { explanations, hitCount, topN, nameOf, areSeveral, areAllExplained, onChange } = props
  const texts = useTexts(RESULT_TEXTS)
  const explained = explanations.filter(({ reasons }) => reasons.length > 0)
  return (
    <Note kind={hitCount === 0 ? 'warning' : 'info'}>
      <h3>{hitCount === 0 ? texts.whyEmpty : texts.whyShort(hitCount, topN)}</h3>
      {explained.length === 0 && <p>{texts.noReason}</p>}
      {explained.map((explanation) => (
        <div key={explanation.contextId}>
          {areSeveral && <h4>{nameOf(explanation.contextId)}</h4>}
          <ul className="search-reasons">
            {explanation.reasons.map(({ code, message }) => (
              <li key={code}>
                <Reason code={code} message={message} explanation={explanation} onChange={onChange} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {!areAllExplained && <p>{texts.moreContexts}</p>}
    </Note>
  )
}

interface ReasonProps {
  readonly code: ReasonCode
  readonly message: string
  readonly explanation: Explanation
  readonly onChange: ReasonsProps['onChange']
}

/** Reasons whose message has something that the explanation does not have by itself: the name of a context, an error. */
const WITH_MESSAGE: ReadonlySet<ReasonCode> = new Set(['other-context', 'model-unavailable'])

function Reason({ code, message, explanation, onChange }: ReasonProps): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  const { language } = useLanguage()
  const format = useFactFormat()
  return (
    <>
      {REASON_TEXTS[language][code](explanation, format)}
      {WITH_MESSAGE.has(code) && <span className="hint">{texts.server(message)}</span>} {action()}
    </>
  )

  function action(): ReactNode {
    const documents = `/gpts/${explanation.contextId}/documents`
    const button = (label: string, change: SearchChange): ReactNode => (
      <Button onPress={() => onChange(change)}>{label}</Button>
    )
    switch (code) {
      case 'no-documents':
        return <ButtonLink href={documents}>{texts.actions.upload}</ButtonLink>
      case 'all-failed':
      case 'still-processing':
        return <ButtonLink href={documents}>{texts.actions.documents}</ButtonLink>
      case 'filter-excludes-all':
        return button(texts.actions.filter, { dropsFilter: true })
      case 'words-only-yet':
      case 'words-not-found':
        return button(texts.actions.hybrid, { settings: { mode: 'hybrid' } })
      case 'words-not-indexed':
      case 'no-evidence':
        return button(texts.actions.semantic, { settings: { mode: 'semantic' } })
      case 'language-unknown':
        return button(texts.actions.threshold('0'), { settings: { threshold: 0 } })
      case 'threshold-too-high': {
        const threshold = Math.floor((explanation.bestSimilarity ?? 0) * 100) / 100
        return button(texts.actions.threshold(format.number(threshold, 2)), { settings: { threshold } })
      }
      case 'model-unavailable':
      case 'other-context':
      case 'early-finding-off':
      case 'vectors-missing':
      case 'prompt-without-words':
      case 'only-question-words':
        return null
    }
  }
}

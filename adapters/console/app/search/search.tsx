import './search.css'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useLogin } from '../login/use-login.js'
import { useTexts } from '../texts/phrases.js'
import { Button, ButtonLink } from '../ui/buttons.js'
import { EmptyState, ErrorNote } from '../ui/notes.js'
import { PageHead } from '../ui/page-head.js'
import { SearchForm } from './question/search-form.js'
import { type ChosenContext, useChosenContexts, useContextList, useHistory } from './question/use-contexts.js'
import { Results } from './results/results.js'
import { hasWrongSettings, readState, type SearchState, writeState } from './search-state.js'
import { TEXTS } from './texts.js'
import { SEARCH_KEY } from './use-search.js'

/** Tries searches: at `/search`. The address keeps the search that is shown, the form the next one. */
export default function Search(): ReactElement {
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  const { found, isLoading, error, refetch } = useContextList('')
  const hasNone = found.length === 0 && !isLoading && error === null
  return (
    <>
      <PageHead title={texts.title}>{texts.intro}</PageHead>
      <ErrorNote error={error} onRetry={refetch} />
      {hasNone ? (
        <EmptyState
          title={texts.noContexts}
          action={can('context:write') && <ButtonLink href="/gpts">{texts.createContext}</ButtonLink>}
        >
          {texts.noContextsText}
        </EmptyState>
      ) : (
        // The only context needs no choice.
        <SearchPage onlyContext={found.length === 1 && !isLoading ? found[0]?.id : undefined} />
      )}
    </>
  )
}

function SearchPage({ onlyContext }: { readonly onlyContext: number | undefined }): ReactElement {
  const texts = useTexts(TEXTS)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const address = useSearch()
  const state = readState(address)
  const [draft, setDraft] = useState(state)
  const [shownAddress, setShownAddress] = useState(address)
  const history = useHistory()
  // Another address, such as by the back button, is another search.
  if (shownAddress !== address) {
    setShownAddress(address)
    setDraft(state)
  }
  const withContext = (of: SearchState): SearchState =>
    of.contextIds.length === 0 && onlyContext !== undefined ? { ...of, contextIds: [onlyContext] } : of
  const present = withContext(draft)
  const chosen = useChosenContexts(present.contextIds)
  const known = useChosenContexts(state.contextIds)
  const nameOf = (id: number): string => known.find((each) => each.id === id)?.context?.name ?? `GPT ${id}`
  const search = (next: SearchState): void => {
    history.add(next.prompt)
    const query = writeState(next)
    // The same search once more.
    if (query === writeState(state)) void queries.resetQueries({ queryKey: SEARCH_KEY })
    else navigate(`/search?${query}`)
  }
  const ask = (prompt: string): void => {
    const next = { ...present, prompt }
    if (next.contextIds.length > 0 && !hasWrongSettings(next)) search(next)
    else setDraft(next)
  }
  const earlier = history.prompts.filter((prompt) => prompt !== state.prompt)
  const isAsked = state.prompt.trim() !== '' && state.contextIds.length > 0
  return (
    <>
      <SearchForm draft={present} chosen={chosen} onChange={setDraft} onSearch={search} />
      {earlier.length > 0 && (
        <section className="search-history" aria-label={texts.history}>
          <h2>{texts.history}</h2>
          <div className="search-prompts">
            {earlier.map((prompt) => (
              <Button key={prompt} kind="quiet" onPress={() => ask(prompt)}>
                {prompt}
              </Button>
            ))}
          </div>
        </section>
      )}
      {isAsked ? <Results state={state} nameOf={nameOf} onSearch={search} /> : <FirstTry chosen={chosen} onAsk={ask} />}
    </>
  )
}

const MAX_STARTERS = 8

interface FirstTryProps {
  readonly chosen: readonly ChosenContext[]
  readonly onAsk: (prompt: string) => void
}

/** The page before the first question: starter prompts, or what is missing. */
function FirstTry({ chosen, onAsk }: FirstTryProps): ReactElement {
  const texts = useTexts(TEXTS)
  const [first] = chosen
  if (first !== undefined && chosen.every(({ hasDocuments }) => !hasDocuments)) {
    const action = (
      <ButtonLink kind="primary" href={`/gpts/${first.id}/documents`}>
        {texts.upload}
      </ButtonLink>
    )
    return (
      <EmptyState title={texts.noDocuments} action={action}>
        {texts.noDocumentsText}
      </EmptyState>
    )
  }
  const starters = [...new Set(chosen.flatMap(({ context }) => context?.starterPrompts ?? []))].slice(0, MAX_STARTERS)
  return (
    <EmptyState title={texts.nothingAsked}>
      <p>{texts.nothingAskedText}</p>
      {starters.length > 0 && (
        <>
          <p>{texts.starters}</p>
          <div className="search-prompts">
            {starters.map((prompt) => (
              <Button key={prompt} onPress={() => onAsk(prompt)}>
                {prompt}
              </Button>
            ))}
          </div>
        </>
      )}
    </EmptyState>
  )
}

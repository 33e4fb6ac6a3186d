import { type ReactElement, useState } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import type { SearchSettings, SearchState } from '../search-state.js'
import { TEXTS } from '../texts.js'
import { ContextChoice } from './context-choice.js'
import { readFilter } from './filter.js'
import { FilterFields } from './filter-fields.js'
import { SettingsFold } from './settings-fold.js'
import type { ChosenContext } from './use-contexts.js'

const MAX_PROMPT_LENGTH = 32_768

interface SearchFormProps {
  readonly draft: SearchState
  readonly chosen: readonly ChosenContext[]
  readonly onChange: (draft: SearchState) => void
  readonly onSearch: (draft: SearchState) => void
}

/** The question, where to look for it, and how. Nothing is searched before the user says so. */
export function SearchForm({ draft, chosen, onChange, onSearch }: SearchFormProps): ReactElement {
  const texts = useTexts(TEXTS)
  const [isTried, setTried] = useState(false)
  const { settings, other } = draft
  const needsContext = draft.contextIds.length === 0
  const needsPrompt = draft.prompt.trim() === ''
  const search = (): void => {
    if (!needsContext && !needsPrompt && !('problem' in readFilter(draft.filter))) onSearch(draft)
  }
  return (
    <Form className="panel" onTry={() => setTried(true)} onSubmit={search}>
      <TextField
        label={texts.prompt}
        hint={texts.promptHint}
        error={isTried && needsPrompt ? texts.needPrompt : undefined}
        rows={2}
        value={draft.prompt}
        onChange={(prompt) => onChange({ ...draft, prompt })}
        maxLength={MAX_PROMPT_LENGTH}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          const field = event.currentTarget as Element
          field.closest('form')?.requestSubmit()
        }}
      />
      <ContextChoice
        chosen={chosen}
        onChange={(contextIds) => onChange({ ...draft, contextIds })}
        error={isTried && needsContext ? texts.needContext : undefined}
      />
      <div className="actions search-ask">
        <Button type="submit" kind="primary">
          {texts.search}
        </Button>
        <Button onPress={() => onChange({ ...draft, other: other === undefined ? otherThan(settings) : undefined })}>
          {other === undefined ? texts.compare : texts.endComparison}
        </Button>
      </div>
      <SettingsFold draft={draft} chosen={chosen} onChange={onChange} />
      <FilterFields filter={draft.filter} onChange={(filter) => onChange({ ...draft, filter })} />
    </Form>
  )
}

/** A second column begins with another mode, so that there is something to see. */
function otherThan(settings: SearchSettings): SearchSettings {
  return { ...settings, mode: settings.mode === 'semantic' ? 'keyword' : 'semantic' }
}

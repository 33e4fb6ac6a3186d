import { type ReactElement, useState } from 'react'
import { DialogTrigger, Group, ListBox, ListBoxItem, Popover, Dialog as PopoverDialog } from 'react-aria-components'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { TextField } from '../../ui/form/fields.js'
import { ErrorNote } from '../../ui/notes.js'
import { MAX_CONTEXTS } from '../search-state.js'
import { TEXTS } from '../texts.js'
import { type ChosenContext, useContextList } from './use-contexts.js'

interface ContextChoiceProps {
  readonly chosen: readonly ChosenContext[]
  readonly onChange: (ids: readonly number[]) => void
  readonly error: string | undefined
}

/** The contexts of a search, with a list to choose them. */
export function ContextChoice({ chosen, onChange, error }: ContextChoiceProps): ReactElement {
  const texts = useTexts(TEXTS)
  const ids = chosen.map(({ id }) => id)
  return (
    <Group className="field" aria-labelledby="search-contexts" isInvalid={error !== undefined}>
      <span id="search-contexts">{texts.contexts}</span>
      <div className="search-chips">
        {chosen.map(({ id, context, isMissing }) => {
          const name = context?.name ?? (isMissing ? texts.missingContext(id) : `GPT ${id}`)
          return (
            <span key={id} className="search-chip">
              {name}
              <Button
                kind="quiet"
                aria-label={texts.removeContext(name)}
                onPress={() => onChange(ids.filter((each) => each !== id))}
              >
                ×
              </Button>
            </span>
          )
        })}
        <DialogTrigger>
          <Button>{chosen.length === 0 ? texts.chooseContexts : texts.addContexts}</Button>
          <Popover className="popover search-popover" placement="bottom start">
            <PopoverDialog className="search-picker" aria-label={texts.contexts}>
              {({ close }) => <Picker ids={ids} onChange={onChange} close={close} />}
            </PopoverDialog>
          </Popover>
        </DialogTrigger>
      </div>
      {error === undefined ? (
        <span className="hint">{texts.contextsHint}</span>
      ) : (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </Group>
  )
}

interface PickerProps {
  readonly ids: readonly number[]
  readonly onChange: (ids: readonly number[]) => void
  readonly close: () => void
}

function Picker({ ids, onChange, close }: PickerProps): ReactElement {
  const texts = useTexts(TEXTS)
  const [text, setText] = useState('')
  const { found, hasMore, isLoading, error, refetch } = useContextList(text)
  const choose = (keys: 'all' | Iterable<unknown>): void => {
    const selected = new Set(keys === 'all' ? found.map(({ id }) => id) : [...keys].map(Number))
    const shown = new Set(found.map(({ id }) => id))
    // Contexts that the text hides stay chosen.
    const kept = ids.filter((id) => !shown.has(id) || selected.has(id))
    const added = [...selected].filter((id) => shown.has(id) && !ids.includes(id))
    onChange([...kept, ...added].slice(0, MAX_CONTEXTS))
  }
  return (
    <>
      <TextField label={texts.findContext} type="search" value={text} onChange={setText} autoFocus />
      <ErrorNote error={error} onRetry={refetch} />
      <ListBox
        className="listbox search-list"
        aria-label={texts.contexts}
        selectionMode="multiple"
        selectedKeys={ids}
        onSelectionChange={choose}
        escapeKeyBehavior="none"
        items={found}
        renderEmptyState={() => <p className="soft">{isLoading ? texts.loading : texts.noSuchContext}</p>}
      >
        {({ id, name, caption }) => (
          <ListBoxItem id={id} textValue={name} className="listbox-item search-item">
            <span className="search-tick" aria-hidden="true" />
            <span>
              {name}
              {caption !== '' && <span className="hint">{caption}</span>}
            </span>
          </ListBoxItem>
        )}
      </ListBox>
      {hasMore && <p className="hint">{texts.moreContexts}</p>}
      <Button kind="primary" onPress={close}>
        {texts.done}
      </Button>
    </>
  )
}

import { type ReactElement, useState } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Checkbox, Choices } from '../../ui/form/fields.js'
import { Loaded } from '../../ui/notes.js'
import { useCategories, useDescription } from '../catalog/catalog-texts.js'
import { useCatalog } from '../queries.js'
import { DOCUMENT_TYPES } from './document-types.js'

const TEXTS = phrases({
  en: {
    label: 'Events',
    all: 'All events of runs and agents, none of documents',
    allHint: 'Also types that a later release adds to these. No types of your application.',
    documents: 'All events of documents',
    documentsHint: 'When a document is ready to be searched, could not be read, or was deleted.',
    some: 'Only chosen events',
    someHint: 'Of runs, agents, documents and your application, in any mixture. The catalog explains each of them.',
    wholeCategory: (title: string) => `Choose all: ${title}`,
  },
  de: {
    label: 'Ereignisse',
    all: 'Alle Ereignisse von Läufen und Agenten, keine von Dokumenten',
    allHint: 'Auch Typen, die eine spätere Version dort ergänzt. Keine Typen deiner Anwendung.',
    documents: 'Alle Ereignisse von Dokumenten',
    documentsHint: 'Wenn ein Dokument durchsuchbar ist, nicht lesbar war oder gelöscht wurde.',
    some: 'Nur ausgewählte Ereignisse',
    someHint:
      'Von Läufen, Agenten, Dokumenten und deiner Anwendung, beliebig gemischt. Der Katalog erklärt jedes davon.',
    wholeCategory: (title) => `Alle wählen: ${title}`,
  },
})

type Mode = 'all' | 'documents' | 'some'

interface EventTypeChoiceProps {
  /** Null for all types of the specification. */
  readonly value: readonly string[] | null
  readonly onChange: (types: readonly string[] | null) => void
  readonly error: string | undefined
}

/** The events that a destination gets: the standard ones, those of documents, or those that the user ticks in the catalog. */
export function EventTypeChoice({ value, onChange, error }: EventTypeChoiceProps): ReactElement {
  const texts = useTexts(TEXTS)
  const [mode, setMode] = useState(() => modeOf(value))
  const choose = (chosen: Mode): void => {
    setMode(chosen)
    // A user who goes on to single events begins with those of the choice before.
    if (chosen !== 'some') onChange(chosen === 'all' ? null : DOCUMENT_TYPES)
    else if (value === null) onChange([])
  }
  return (
    <>
      <Choices
        label={texts.label}
        error={error}
        value={mode}
        onChange={choose}
        choices={[
          { value: 'all', label: texts.all, hint: texts.allHint },
          { value: 'documents', label: texts.documents, hint: texts.documentsHint },
          { value: 'some', label: texts.some, hint: texts.someHint },
        ]}
      />
      {mode === 'some' && value !== null && <TypeBoxes value={value} onChange={onChange} />}
    </>
  )
}

function modeOf(types: readonly string[] | null): Mode {
  if (types === null) return 'all'
  const isOfDocuments = types.length === DOCUMENT_TYPES.length && DOCUMENT_TYPES.every((type) => types.includes(type))
  return isOfDocuments ? 'documents' : 'some'
}

function TypeBoxes({
  value,
  onChange,
}: {
  readonly value: readonly string[]
  readonly onChange: (types: readonly string[]) => void
}): ReactElement {
  const { wholeCategory } = useTexts(TEXTS)
  const query = useCatalog()
  const categoriesOf = useCategories()
  const describe = useDescription()
  return (
    <Loaded query={query}>
      {(catalog) =>
        categoriesOf(catalog).map(({ name, title, entries }) => (
          <fieldset key={name} className="hooks-types">
            <legend>{title}</legend>
            <Button
              kind="quiet"
              isDisabled={entries.every(({ type }) => value.includes(type))}
              onPress={() => onChange([...new Set([...value, ...entries.map(({ type }) => type)])])}
            >
              {wholeCategory(title)}
            </Button>
            {entries.map((entry) => (
              <Checkbox
                key={entry.type}
                label={<code>{entry.type}</code>}
                hint={describe(entry)}
                isSelected={value.includes(entry.type)}
                onChange={(isSelected) =>
                  onChange(isSelected ? [...value, entry.type] : value.filter((type) => type !== entry.type))
                }
              />
            ))}
          </fieldset>
        ))
      }
    </Loaded>
  )
}

const EVENT_TYPES_TEXTS = phrases({
  en: { all: 'all of runs and agents' },
  de: { all: 'alle von Läufen und Agenten' },
})

/** The types that a destination gets. */
export function EventTypes({ types }: { readonly types: readonly string[] | null }): ReactElement {
  const texts = useTexts(EVENT_TYPES_TEXTS)
  if (types === null) return <>{texts.all}</>
  return (
    <ul className="hooks-list">
      {types.map((type) => (
        <li key={type}>
          <code>{type}</code>
        </li>
      ))}
    </ul>
  )
}

import type { ReactElement } from 'react'
import { type Texts, useTexts } from '../texts/language.js'
import { Checkbox, Choices } from '../ui/fields.js'
import { Loaded } from '../ui/notes.js'
import { useCategories, useDescription } from './catalog-texts.js'
import { useCatalog } from './queries.js'

interface ChoiceTexts {
  readonly label: string
  readonly all: string
  readonly allHint: string
  readonly some: string
  readonly someHint: string
}

const TEXTS: Texts<ChoiceTexts> = {
  en: {
    label: 'Events',
    all: 'All events of runs and agents',
    allHint:
      'Also types that a later release adds to these. Documents and types of your application are not among them.',
    some: 'Only chosen events',
    someHint: 'The catalog explains each of them.',
  },
  de: {
    label: 'Ereignisse',
    all: 'Alle Ereignisse von Läufen und Agenten',
    allHint:
      'Auch Typen, die eine spätere Version dort ergänzt. Dokumente und Typen deiner Anwendung gehören nicht dazu.',
    some: 'Nur ausgewählte Ereignisse',
    someHint: 'Der Katalog erklärt jedes davon.',
  },
}

interface EventTypeChoiceProps {
  /** Null for all types of the specification. */
  readonly value: readonly string[] | null
  readonly onChange: (types: readonly string[] | null) => void
  readonly error: string | undefined
}

/** Which events a destination gets: the standard ones, or those that the user ticks in the catalog. */
export function EventTypeChoice({ value, onChange, error }: EventTypeChoiceProps): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <>
      <Choices
        label={texts.label}
        error={error}
        value={value === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
        choices={[
          { value: 'all', label: texts.all, hint: texts.allHint },
          { value: 'some', label: texts.some, hint: texts.someHint },
        ]}
      />
      {value !== null && <TypeBoxes value={value} onChange={onChange} />}
    </>
  )
}

function TypeBoxes({
  value,
  onChange,
}: {
  readonly value: readonly string[]
  readonly onChange: (types: readonly string[]) => void
}): ReactElement {
  const query = useCatalog()
  const categoriesOf = useCategories()
  const describe = useDescription()
  return (
    <Loaded query={query}>
      {(catalog) =>
        categoriesOf(catalog).map(({ name, title, entries }) => (
          <fieldset key={name} className="hooks-types">
            <legend>{title}</legend>
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

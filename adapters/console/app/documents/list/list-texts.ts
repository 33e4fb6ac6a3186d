import type { Texts } from '../../texts/language.js'
import { plural } from '../../texts/plural.js'
import type { CountedState, Filters, StateFilter } from './filters.js'

interface ListTexts {
  readonly list: string
  readonly empty: string
  readonly emptyText: string
  readonly emptyReader: string
  readonly reading: (count: string) => string
  readonly count: (count: string, isFiltered: boolean) => string
  /** Says the number of documents in a state. */
  readonly inState: (count: string, state: CountedState) => string
  /** Says which filter hides all documents. */
  readonly noneFound: (filters: Filters) => string
  readonly noneFoundText: string
  readonly clear: string
  readonly findName: string
  readonly states: States
  readonly select: (name: string) => string
  readonly selectAll: string
  readonly selected: (count: string) => string
  readonly deleteSelected: string
  readonly clearSelection: string
  readonly retry: (name: string) => string
}

type States = Readonly<Record<StateFilter, string>>

const ENGLISH_STATES: States = { all: 'All', busy: 'In progress', completed: 'Completed', failed: 'Failed' }
const GERMAN_STATES: States = { all: 'Alle', busy: 'In Arbeit', completed: 'Fertig', failed: 'Fehlgeschlagen' }

export const LIST_TEXTS: Texts<ListTexts> = {
  en: {
    list: 'Documents',
    empty: 'No documents yet',
    emptyText:
      'A GPT answers from its documents. Drop files or a folder above: you see how each file is read, and can look at its text afterwards.',
    emptyReader: 'A GPT answers from its documents. Ask somebody who may change documents to upload some.',
    reading: (count) => `Reading the list: ${plural.en(count, '1 document', `${count} documents`)} until now …`,
    count: (count, isFiltered) => {
      if (!isFiltered) return plural.en(count, '1 document', `${count} documents`)
      return plural.en(count, '1 document passes the filters', `${count} documents pass the filters`)
    },
    inState: (count, state) => `${count} ${ENGLISH_STATES[state].toLowerCase()}`,
    noneFound: ({ name, state }) => {
      if (state === 'all') return `No document has “${name}” in its name`
      return `No document ${name === '' ? '' : `with “${name}” in its name `}is in the state “${ENGLISH_STATES[state]}”`
    },
    noneFoundText: 'Documents with other names or states are hidden now.',
    clear: 'Clear the filters',
    findName: 'Find by name',
    states: ENGLISH_STATES,
    select: (name) => `Select ${name}`,
    selectAll: 'Select all that are listed',
    selected: (count) => `${count} selected`,
    deleteSelected: 'Delete',
    clearSelection: 'Clear the selection',
    retry: (name) => `Try again: ${name}`,
  },
  de: {
    list: 'Dokumente',
    empty: 'Noch keine Dokumente',
    emptyText:
      'Ein GPT antwortet aus seinen Dokumenten. Zieh Dateien oder einen Ordner in das Feld oben. Du siehst, wie jede Datei gelesen wird, und kannst danach ihren Text ansehen.',
    emptyReader:
      'Ein GPT antwortet aus seinen Dokumenten. Bitte jemanden, der Dokumente ändern darf, welche hochzuladen.',
    reading: (count) => `Liste wird gelesen: bis jetzt ${plural.de(count, '1 Dokument', `${count} Dokumente`)} …`,
    count: (count, isFiltered) => {
      if (!isFiltered) return plural.de(count, '1 Dokument', `${count} Dokumente`)
      return plural.de(count, '1 Dokument passt zu den Filtern', `${count} Dokumente passen zu den Filtern`)
    },
    inState: (count, state) => `${count} ${state === 'busy' ? 'in Arbeit' : GERMAN_STATES[state].toLowerCase()}`,
    noneFound: ({ name, state }) => {
      if (state === 'all') return `Kein Dokument hat „${name}“ im Namen`
      return `Kein Dokument ${name === '' ? '' : `mit „${name}“ im Namen `}hat den Status „${GERMAN_STATES[state]}“`
    },
    noneFoundText: 'Dokumente mit anderen Namen oder anderem Status sind jetzt ausgeblendet.',
    clear: 'Filter aufheben',
    findName: 'Nach Name suchen',
    states: GERMAN_STATES,
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle aufgelisteten auswählen',
    selected: (count) => `${count} ausgewählt`,
    deleteSelected: 'Löschen',
    clearSelection: 'Auswahl aufheben',
    retry: (name) => `Noch einmal versuchen: ${name}`,
  },
}

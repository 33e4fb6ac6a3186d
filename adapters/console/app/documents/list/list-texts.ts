import { phrases, plural } from '../../texts/phrases.js'
import type { CountedState, Filters, StateFilter } from './filters.js'

type States = Readonly<Record<StateFilter, string>>

const ENGLISH_STATES: States = { all: 'All', busy: 'In progress', completed: 'Completed', failed: 'Failed' }
const GERMAN_STATES: States = { all: 'Alle', busy: 'In Arbeit', completed: 'Fertig', failed: 'Fehlgeschlagen' }

export const LIST_TEXTS = phrases({
  en: {
    list: 'Documents',
    empty: 'No documents yet',
    emptyText:
      'A GPT answers from its documents. Drop files or a folder above: you see how each file is read, and can look at its text afterwards.',
    emptyReader: 'A GPT answers from its documents. Ask somebody who may change documents to upload some.',
    reading: (count: string) => `Reading the list: ${plural.en(count, '1 document', `${count} documents`)} until now …`,
    count: (count: string, isFiltered: boolean) => {
      if (!isFiltered) return plural.en(count, '1 document', `${count} documents`)
      return plural.en(count, '1 document passes the filters', `${count} documents pass the filters`)
    },
    /** Says the number of documents in a state. */
    inState: (count: string, state: CountedState) => `${count} ${ENGLISH_STATES[state].toLowerCase()}`,
    /** Says which filter hides all documents. */
    noneFound: ({ name, state }: Filters) => {
      if (state === 'all') return `No document has “${name}” in its name`
      return `No document ${name === '' ? '' : `with “${name}” in its name `}is in the state “${ENGLISH_STATES[state]}”`
    },
    noneFoundText: 'Documents with other names or states are hidden now.',
    clear: 'Clear the filters',
    findName: 'Find by name',
    states: ENGLISH_STATES,
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all that are listed',
    selected: (count: string) => `${count} selected`,
    deleteSelected: 'Delete',
    clearSelection: 'Clear the selection',
    retry: (name: string) => `Try again: ${name}`,
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
})

import type { Texts } from '../../texts/language.js'

/** The choices of a filter by state. */
export type StateFilter = 'all' | 'busy' | 'completed' | 'failed'

interface ListTexts {
  readonly list: string
  readonly empty: string
  readonly emptyText: string
  readonly emptyReader: string
  readonly reading: (count: string) => string
  readonly count: (shown: string, all: string) => string
  readonly noneFound: string
  readonly findName: string
  readonly states: Readonly<Record<StateFilter, string>>
  readonly select: (name: string) => string
  readonly selectAll: string
  readonly selected: (count: string) => string
  readonly deleteSelected: string
  readonly clearSelection: string
  readonly retry: (name: string) => string
}

export const LIST_TEXTS: Texts<ListTexts> = {
  en: {
    list: 'Documents',
    empty: 'No documents yet',
    emptyText:
      'A GPT answers from its documents. Drop files or a folder above: you see how each file is read, and can look at its text afterwards.',
    emptyReader: 'A GPT answers from its documents. Ask somebody who may change documents to upload some.',
    reading: (count) => `Reading the list: ${count} documents until now …`,
    count: (shown, all) => {
      const documents = all === '1' ? '1 document' : `${all} documents`
      return shown === all ? documents : `${shown} of ${documents}`
    },
    noneFound: 'No document has this name and state. Change the filters.',
    findName: 'Find by name',
    states: { all: 'All', busy: 'In progress', completed: 'Completed', failed: 'Failed' },
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
    reading: (count) => `Liste wird gelesen: bis jetzt ${count} Dokumente …`,
    count: (shown, all) => {
      if (shown !== all) return `${shown} von ${all} Dokumenten`
      return all === '1' ? '1 Dokument' : `${all} Dokumente`
    },
    noneFound: 'Kein Dokument hat diesen Namen und Status. Ändere die Filter.',
    findName: 'Nach Name suchen',
    states: { all: 'Alle', busy: 'In Arbeit', completed: 'Fertig', failed: 'Fehlgeschlagen' },
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle aufgelisteten auswählen',
    selected: (count) => `${count} ausgewählt`,
    deleteSelected: 'Löschen',
    clearSelection: 'Auswahl aufheben',
    retry: (name) => `Noch einmal versuchen: ${name}`,
  },
}

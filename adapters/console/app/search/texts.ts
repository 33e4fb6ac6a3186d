import type { Texts } from '../texts/language.js'
import { plural } from '../texts/plural.js'
import type { FilterTest } from './question/filter.js'
import type { SearchMode } from './search-state.js'

/** The name of a column of results. */
export type ColumnName = 'A' | 'B'

interface SearchTexts {
  readonly title: string
  readonly intro: string
  readonly prompt: string
  readonly promptHint: string
  readonly contexts: string
  readonly chooseContexts: string
  readonly addContexts: string
  readonly contextsHint: string
  readonly findContext: string
  readonly moreContexts: string
  readonly noSuchContext: string
  readonly loading: string
  readonly done: string
  readonly removeContext: (name: string) => string
  readonly missingContext: (id: number) => string
  readonly needContext: string
  readonly needPrompt: string
  readonly search: string
  readonly mode: string
  readonly modes: Readonly<Record<SearchMode, string>>
  readonly modeHints: Readonly<Record<SearchMode, string>>
  readonly defaultMode: (mode: string | undefined) => string
  readonly topN: string
  readonly threshold: string
  readonly empty: (value: string | undefined) => string
  readonly thresholdHint: string
  readonly settings: (column: ColumnName | undefined) => string
  readonly summary: (mode: string | undefined, topN: string | undefined, threshold: string | undefined) => string
  readonly compare: string
  readonly endComparison: string
  readonly filter: string
  readonly filterIntro: string
  readonly key: string
  readonly test: string
  readonly value: string
  readonly valueHint: string
  readonly tests: Readonly<Record<FilterTest, string>>
  readonly needKey: string
  readonly needValue: string
  readonly addCondition: string
  readonly removeCondition: (condition: string) => string
  readonly json: string
  readonly notJson: (problem: string) => string
  readonly history: string
  readonly starters: string
  readonly nothingAsked: string
  readonly nothingAskedText: string
  readonly noContexts: string
  readonly noContextsText: string
  readonly createContext: string
  readonly noDocuments: string
  readonly noDocumentsText: string
  readonly upload: string
  readonly copyCode: string
}

export const TEXTS: Texts<SearchTexts> = {
  en: {
    title: 'Try a search',
    intro: 'See what your GPTs find for a question, why each passage is where it is, and what other settings change.',
    prompt: 'Question',
    promptHint: 'Enter searches, Shift+Enter begins a new line.',
    contexts: 'GPTs to search',
    chooseContexts: 'Choose GPTs',
    addContexts: 'Change',
    contextsHint: 'One GPT, or several at once.',
    findContext: 'Part of a name',
    moreContexts: 'More than these match. Type a longer part of the name.',
    noSuchContext: 'No GPT has such a name. Type another part of it.',
    loading: 'Loading…',
    done: 'Done',
    removeContext: (name) => `Leave out ${name}`,
    missingContext: (id) => `GPT ${id}: not found, or not yours to see`,
    needContext: 'Choose at least one GPT.',
    needPrompt: 'Write a question first.',
    search: 'Search',
    mode: 'Search mode',
    modes: { hybrid: 'Words and meaning', semantic: 'Meaning only', keyword: 'Words only' },
    modeHints: {
      hybrid: 'hybrid: almost always the best choice',
      semantic: 'semantic: finds other words with the same meaning',
      keyword: 'keyword: each hit has a word of the question, for codes and names',
    },
    defaultMode: (mode) => (mode === undefined ? 'As each GPT is set' : `As the GPT is set (${mode})`),
    topN: 'Most hits',
    threshold: 'Least similarity',
    empty: (value) => (value === undefined ? 'Empty: as each GPT is set.' : `Empty: ${value}, as the GPT is set.`),
    thresholdHint: '0 to 1; 0 drops nothing.',
    settings: (column) => (column === undefined ? 'Settings of this search' : `Settings ${column}`),
    summary: (mode, topN, threshold) =>
      `Settings: ${mode ?? 'the mode of each GPT'}, ${topN === undefined ? 'as many hits as set' : plural.en(topN, 'up to 1 hit', `up to ${topN} hits`)}, ${threshold === undefined ? 'the least similarity of each GPT' : `least similarity ${threshold}`}`,
    compare: 'Compare with other settings',
    endComparison: 'End the comparison',
    filter: 'Only some documents (filter)',
    filterIntro: 'A document must meet all conditions on its metadata.',
    key: 'Field',
    test: 'Test',
    value: 'Value',
    valueHint: '2026 is a number, "2026" a text. Commas separate the values of a list.',
    tests: {
      equals: 'is',
      not: 'is not',
      in: 'is one of',
      gte: 'is at least',
      gt: 'is more than',
      lte: 'is at most',
      lt: 'is less than',
      exists: 'is there',
      missing: 'is missing',
    },
    needKey: 'Give the field to test.',
    needValue: 'Give the value to compare with.',
    addCondition: 'Add the condition',
    removeCondition: (condition) => `Remove the condition: ${condition}`,
    json: 'The filter as JSON',
    notJson: (problem) =>
      `This is not a JSON object such as {"metadata":{"year":2026}}. Mend or empty it. ${problem}`.trim(),
    history: 'Asked before',
    starters: 'Begin with one of these questions:',
    nothingAsked: 'Nothing asked yet',
    nothingAskedText:
      'Choose a GPT and write a question as your users would. You see the passages that an answer would be made of. The address of this page keeps the search, so that you can send it to somebody.',
    noContexts: 'There is no GPT to search',
    noContextsText: 'A GPT is an assistant with documents of its own. Somebody must create one, or share one with you.',
    createContext: 'Create a GPT',
    noDocuments: 'There are no documents yet',
    noDocumentsText: 'A search finds passages of documents, and what you chose has none. Upload some first.',
    upload: 'Upload documents',
    copyCode: 'Copy as code',
  },
  de: {
    title: 'Suche ausprobieren',
    intro:
      'Sieh, was deine GPTs zu einer Frage finden, warum jede Stelle dort steht und was andere Einstellungen ändern.',
    prompt: 'Frage',
    promptHint: 'Enter sucht, Umschalt+Enter beginnt eine neue Zeile.',
    contexts: 'Zu durchsuchende GPTs',
    chooseContexts: 'GPTs wählen',
    addContexts: 'Ändern',
    contextsHint: 'Ein GPT oder mehrere zugleich.',
    findContext: 'Teil eines Namens',
    moreContexts: 'Es passen mehr als diese. Schreibe mehr vom Namen.',
    noSuchContext: 'Kein GPT heißt so. Schreibe einen anderen Teil des Namens.',
    loading: 'Wird geladen …',
    done: 'Fertig',
    removeContext: (name) => `${name} weglassen`,
    missingContext: (id) => `GPT ${id}: nicht gefunden oder nicht für dich sichtbar`,
    needContext: 'Wähle mindestens ein GPT.',
    needPrompt: 'Schreibe zuerst eine Frage.',
    search: 'Suchen',
    mode: 'Suchmodus',
    modes: { hybrid: 'Wörter und Bedeutung', semantic: 'Nur Bedeutung', keyword: 'Nur Wörter' },
    modeHints: {
      hybrid: 'hybrid: fast immer die beste Wahl',
      semantic: 'semantic: findet andere Wörter mit derselben Bedeutung',
      keyword: 'keyword: jeder Treffer hat ein Wort der Frage, für Nummern und Namen',
    },
    defaultMode: (mode) =>
      mode === undefined ? 'Wie jedes GPT eingestellt ist' : `Wie das GPT eingestellt ist (${mode})`,
    topN: 'Höchstzahl der Treffer',
    threshold: 'Mindestähnlichkeit',
    empty: (value) =>
      value === undefined ? 'Leer: wie jedes GPT eingestellt ist.' : `Leer: ${value}, wie das GPT eingestellt ist.`,
    thresholdHint: '0 bis 1; 0 lässt nichts weg.',
    settings: (column) => (column === undefined ? 'Einstellungen dieser Suche' : `Einstellungen ${column}`),
    summary: (mode, topN, threshold) =>
      `Einstellungen: ${mode ?? 'Suchmodus wie bei jedem GPT'}, ${topN === undefined ? 'so viele Treffer wie eingestellt' : `bis ${topN} Treffer`}, ${threshold === undefined ? 'Mindestähnlichkeit wie bei jedem GPT' : `Mindestähnlichkeit ${threshold}`}`,
    compare: 'Mit anderen Einstellungen vergleichen',
    endComparison: 'Vergleich beenden',
    filter: 'Nur manche Dokumente (Filter)',
    filterIntro: 'Ein Dokument muss alle Bedingungen an seine Metadaten erfüllen.',
    key: 'Feld',
    test: 'Prüfung',
    value: 'Wert',
    valueHint: '2026 ist eine Zahl, "2026" ein Text. Kommas trennen die Werte einer Liste.',
    tests: {
      equals: 'ist',
      not: 'ist nicht',
      in: 'ist eines von',
      gte: 'ist mindestens',
      gt: 'ist mehr als',
      lte: 'ist höchstens',
      lt: 'ist weniger als',
      exists: 'ist vorhanden',
      missing: 'fehlt',
    },
    needKey: 'Gib das Feld an, das geprüft wird.',
    needValue: 'Gib den Wert an, mit dem verglichen wird.',
    addCondition: 'Bedingung hinzufügen',
    removeCondition: (condition) => `Bedingung entfernen: ${condition}`,
    json: 'Der Filter als JSON',
    notJson: (problem) =>
      `Das ist kein JSON-Objekt wie {"metadata":{"year":2026}}. Berichtige oder leere es. ${problem}`.trim(),
    history: 'Zuletzt gefragt',
    starters: 'Beginne mit einer dieser Fragen:',
    nothingAsked: 'Noch nichts gefragt',
    nothingAskedText:
      'Wähle ein GPT und schreibe eine Frage, wie deine Benutzer sie stellen. Du siehst die Stellen, aus denen eine Antwort entstünde. Die Adresse dieser Seite enthält die Suche, du kannst sie also jemandem schicken.',
    noContexts: 'Es gibt noch kein GPT',
    noContextsText:
      'Ein GPT ist ein Assistent mit eigenen Dokumenten. Jemand muss eines erstellen oder eines mit dir teilen.',
    createContext: 'GPT erstellen',
    noDocuments: 'Es gibt noch keine Dokumente',
    noDocumentsText:
      'Eine Suche findet Stellen in Dokumenten, und was du gewählt hast, hat keine. Lade zuerst welche hoch.',
    upload: 'Dokumente hochladen',
    copyCode: 'Als Code kopieren',
  },
}

import type { Texts } from '../../texts/language.js'
import { plural } from '../../texts/plural.js'
import type { ColumnName } from '../texts.js'

interface ResultTexts {
  readonly results: (column: ColumnName | undefined) => string
  readonly searching: string
  readonly found: (count: number, column: ColumnName | undefined) => string
  readonly scoresHint: string
  readonly severalHint: string
  /** Says the meaning of the marks in passages. */
  readonly legend: { readonly marked: string; readonly isMatch: string; readonly bold: string; readonly isWord: string }
  readonly pages: (first: number, last: number) => string
  readonly byWords: string
  readonly byMeaning: string
  readonly together: string
  readonly wholeChunk: string
  readonly excerpt: string
  readonly otherPlace: (column: ColumnName, place: number, change: number) => string
  readonly samePlace: (column: ColumnName) => string
  readonly onlyHere: (column: ColumnName) => string
  readonly why: WhyTexts
  readonly whyEmpty: string
  readonly whyShort: (count: number, topN: number) => string
  readonly noReason: string
  readonly moreContexts: string
  readonly server: (message: string) => string
  readonly actions: {
    readonly hybrid: string
    readonly semantic: string
    readonly threshold: (value: string) => string
    readonly filter: string
    readonly documents: string
    readonly upload: string
  }
  readonly facts: string
  readonly words: string
  readonly word: string
  readonly documents: string
  readonly chunks: string
  readonly questionWord: string
  readonly noWords: string
  readonly searched: (searchable: string, total: string) => string
  readonly filtered: (count: string) => string
  readonly best: (similarity: string) => string
  readonly knowledge: (model: string, share: string) => string
}

/** Parts of the sentence that says why a hit is at its place. */
interface WhyTexts {
  readonly both: string
  readonly words: string
  readonly meaning: string
  readonly semantic: string
  readonly keyword: string
  readonly common: string
  readonly wordPlace: (rank: number) => string
  readonly wordFar: string
  readonly wordNone: string
  readonly meaningPlace: (rank: number) => string
  readonly meaningFar: string
}

export const RESULT_TEXTS: Texts<ResultTexts> = {
  en: {
    results: (column) => (column === undefined ? 'Hits' : `Hits with the settings ${column}`),
    searching: 'Searching…',
    found: (count, column) =>
      `${count === 0 ? 'No hits' : plural.en(count, '1 hit', `${count} hits`)}${column === undefined ? '' : ` with the settings ${column}`}.`,
    scoresHint:
      'Words: how many words of the question the passage has, rare ones first (BM25). Meaning: the similarity, 0 to 1. Together: what orders the hits of this search; it says nothing across questions.',
    legend: {
      marked: 'Marked',
      isMatch: 'the part that fits the question best.',
      bold: 'Bold',
      isWord: 'words of the question that count.',
    },
    severalHint: 'The places by words and by meaning are those within each GPT.',
    pages: (first, last) => (first === last ? `Page ${first}` : `Pages ${first} to ${last}`),
    byWords: 'Words',
    byMeaning: 'Meaning',
    together: 'Together',
    wholeChunk: 'Show the text around it',
    excerpt: 'Show less',
    otherPlace: (column, place, change) =>
      `Place ${place} in ${column} (${Math.abs(change)} ${change < 0 ? 'lower' : 'higher'} there)`,
    samePlace: (column) => `Same place in ${column}`,
    onlyHere: (column) => `Only in ${column}`,
    why: {
      both: 'Words and meaning both found it.',
      words: 'Its words found it.',
      meaning: 'Its meaning found it.',
      semantic: 'Only meaning counts in this mode.',
      keyword: 'Only words count in this mode.',
      common: 'Its words of the question are in almost all passages, so that meaning orders the hits.',
      wordPlace: (rank) => `By words it has place ${rank}.`,
      wordFar: 'By words it is not among the first 200.',
      wordNone: 'It has no word of the question that counts.',
      meaningPlace: (rank) => `By meaning it has place ${rank}.`,
      meaningFar: 'By meaning it is not among the nearest 200.',
    },
    whyEmpty: 'Why is this empty?',
    whyShort: (count, topN) => `Why only ${count} of up to ${topN}?`,
    noReason: 'Nothing is wrong with the GPT or the search: its documents have no further passage for this question.',
    moreContexts: 'Only the first 8 GPTs are explained.',
    server: (message) => `The server says: “${message}”`,
    actions: {
      hybrid: 'Search by words and meaning',
      semantic: 'Search by meaning only',
      threshold: (value) => `Search with the least similarity ${value}`,
      filter: 'Search without the filter',
      documents: 'See the documents',
      upload: 'Upload documents',
    },
    facts: 'How the question was read',
    words: 'Words of the question',
    word: 'Word',
    documents: 'Documents with it',
    chunks: 'Passages with it',
    questionWord: 'counts little',
    noWords: 'The question has no word that the index knows, so only meaning counts.',
    searched: (searchable, total) => `${searchable} of ${total} documents can be searched.`,
    filtered: (count) => `The filter leaves ${count}.`,
    best: (similarity) => `The nearest passage has the similarity ${similarity}.`,
    knowledge: (model, share) => `The model ${model} knows ${share} of the question.`,
  },
  de: {
    results: (column) => (column === undefined ? 'Treffer' : `Treffer mit den Einstellungen ${column}`),
    searching: 'Wird gesucht …',
    found: (count, column) =>
      `${count === 0 ? 'Keine Treffer' : `${count} Treffer`}${column === undefined ? '' : ` mit den Einstellungen ${column}`}.`,
    scoresHint:
      'Wörter: wie viele Wörter der Frage die Stelle hat, seltene zuerst (BM25). Bedeutung: die Ähnlichkeit, 0 bis 1. Zusammen: danach sind die Treffer dieser Suche geordnet. Für den Vergleich verschiedener Fragen taugt die Zahl nicht.',
    legend: {
      marked: 'Markiert',
      isMatch: 'der Teil, der am besten zur Frage passt.',
      bold: 'Fett',
      isWord: 'Wörter der Frage, die zählen.',
    },
    severalHint: 'Die Plätze nach Wörtern und nach Bedeutung gelten innerhalb jedes GPTs.',
    pages: (first, last) => (first === last ? `Seite ${first}` : `Seiten ${first} bis ${last}`),
    byWords: 'Wörter',
    byMeaning: 'Bedeutung',
    together: 'Zusammen',
    wholeChunk: 'Umgebenden Text anzeigen',
    excerpt: 'Weniger anzeigen',
    otherPlace: (column, place, change) =>
      `Platz ${place} in ${column} (dort ${Math.abs(change)} ${change < 0 ? 'tiefer' : 'höher'})`,
    samePlace: (column) => `Gleicher Platz in ${column}`,
    onlyHere: (column) => `Nur in ${column}`,
    why: {
      both: 'Durch Wörter und Bedeutung gefunden.',
      words: 'Durch Wörter gefunden.',
      meaning: 'Durch Bedeutung gefunden.',
      semantic: 'Hier zählt nur die Bedeutung.',
      keyword: 'Hier zählen nur Wörter.',
      common: 'Diese Wörter der Frage stehen in fast allen Stellen, deshalb entscheidet die Bedeutung.',
      wordPlace: (rank) => `Nach Wörtern auf Platz ${rank}.`,
      wordFar: 'Nach Wörtern nicht unter den ersten 200.',
      wordNone: 'Kein Wort der Frage, das zählt, steht darin.',
      meaningPlace: (rank) => `Nach Bedeutung auf Platz ${rank}.`,
      meaningFar: 'Nach Bedeutung nicht unter den nächsten 200.',
    },
    whyEmpty: 'Warum ist hier nichts?',
    whyShort: (count, topN) => `Warum nur ${count} von höchstens ${topN}?`,
    noReason: 'Am GPT und an der Suche liegt es nicht: Die Dokumente haben keine weitere Stelle zu dieser Frage.',
    moreContexts: 'Nur die ersten 8 GPTs sind erklärt.',
    server: (message) => `Der Server meldet: „${message}“`,
    actions: {
      hybrid: 'Nach Wörtern und Bedeutung suchen',
      semantic: 'Nur nach Bedeutung suchen',
      threshold: (value) => `Mit Mindestähnlichkeit ${value} suchen`,
      filter: 'Ohne den Filter suchen',
      documents: 'Dokumente ansehen',
      upload: 'Dokumente hochladen',
    },
    facts: 'Wie die Frage gelesen wurde',
    words: 'Wörter der Frage',
    word: 'Wort',
    documents: 'Dokumente damit',
    chunks: 'Stellen damit',
    questionWord: 'zählt wenig',
    noWords: 'Die Frage hat kein Wort, das der Index kennt, deshalb zählt nur die Bedeutung.',
    searched: (searchable, total) => `${searchable} von ${total} Dokumenten sind durchsuchbar.`,
    filtered: (count) => `Der Filter lässt ${count} übrig.`,
    best: (similarity) => `Die nächste Stelle hat die Ähnlichkeit ${similarity}.`,
    knowledge: (model, share) => `Das Modell ${model} kennt ${share} der Frage.`,
  },
}

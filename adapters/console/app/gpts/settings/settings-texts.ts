import { phrases } from '../../texts/phrases.js'

export const SETTINGS_TEXTS = phrases({
  en: {
    ofSearch: 'How it searches',
    ofDocuments: 'How it prepares documents',
    ofDocumentsHint:
      'A change of the embedding model, of the chunk size or of the overlap prepares all documents again, which takes as long as at their upload.',
    topN: {
      name: 'Results of a search',
      /** Says in plain words what the setting means. */
      hint: 'How many passages a search returns at most: 1 to 100. The model reads all of them, so more cost more.',
    },
    scoreThreshold: {
      name: 'Least similarity',
      /** Says in plain words what the setting means. */
      hint: 'Passages that are less similar to the question are left out: 0 leaves out none, 1 nearly all. The API calls it scoreThreshold.',
    },
    searchMode: {
      name: 'Search mode' /** Says in plain words what the setting means. */,
      hint: 'How passages are found, unless a search says otherwise.',
    },
    modes: {
      hybrid: {
        name: 'Words and meaning' /** Says in plain words what the setting means. */,
        hint: 'Right for almost everything: questions, codes and names.',
      },
      semantic: {
        name: 'Meaning only' /** Says in plain words what the setting means. */,
        hint: 'Finds answers in other words. It can miss codes and names.',
      },
      keyword: {
        name: 'Words only' /** Says in plain words what the setting means. */,
        hint: 'Each result has at least one word of the question.',
      },
    },
    findsEarly: {
      name: 'Find documents early',
      /** Says in plain words what the setting means. */
      hint: 'Searches find a document by its words while its meaning is still computed.',
    },
    /** `choiceHint` is for a list of models, `hint` for a name that the user writes. */
    embeddingModel: {
      name: 'Embedding model',
      choiceHint: 'Turns texts into numbers that say what they mean. It decides which languages are understood.',
      hint: 'Turns texts into numbers that say what they mean. It decides which languages are understood. Enter the name of a model that the server knows.',
    },
    chunkSizeTokens: {
      name: 'Chunk size in tokens',
      /** Says in plain words what the setting means. */
      hint: 'Documents are cut into chunks of this length at most: 16 to 8,192. A token is about three quarters of an English word. Small chunks answer precisely, large ones give context.',
    },
    overlap: {
      name: 'Overlap in percent',
      /** Says in plain words what the setting means. */
      hint: 'How much of a chunk the next one repeats, so that no sentence is torn apart: 0 to less than 100.',
    },
    maxSizeBytes: {
      name: 'Room for documents in megabytes',
      /** Says in plain words what the setting means. */
      hint: 'The size of all documents together, in units of 1,048,576 bytes. Only the operator can allow more than 100.',
    },
    on: 'On',
    off: 'Off',
  },
  de: {
    ofSearch: 'Wie es sucht',
    ofDocuments: 'Wie es Dokumente aufbereitet',
    ofDocumentsHint:
      'Eine Änderung von Embedding-Modell, Abschnittslänge oder Überlappung bereitet alle Dokumente neu auf. Das dauert so lange wie beim Hochladen.',
    topN: {
      name: 'Treffer einer Suche',
      hint: 'Wie viele Stellen eine Suche höchstens liefert: 1 bis 100. Das Modell liest alle, mehr kosten also mehr.',
    },
    scoreThreshold: {
      name: 'Mindestähnlichkeit',
      hint: 'Stellen, die der Frage weniger ähneln, bleiben weg: bei 0 keine, bei 1 fast alle. In der API heißt sie scoreThreshold.',
    },
    searchMode: { name: 'Suchmodus', hint: 'Wie Stellen gefunden werden, wenn eine Suche nichts anderes sagt.' },
    modes: {
      hybrid: { name: 'Wörter und Bedeutung', hint: 'Richtig für fast alles: Fragen, Nummern und Namen.' },
      semantic: {
        name: 'Nur Bedeutung',
        hint: 'Findet Antworten in anderen Worten, übersieht aber Nummern und Namen.',
      },
      keyword: { name: 'Nur Wörter', hint: 'Jeder Treffer hat mindestens ein Wort der Frage.' },
    },
    findsEarly: {
      name: 'Dokumente früh finden',
      hint: 'Suchen finden ein Dokument schon durch seine Wörter, während seine Bedeutung noch berechnet wird.',
    },
    embeddingModel: {
      name: 'Embedding-Modell',
      choiceHint:
        'Macht aus Texten Zahlen, die ihre Bedeutung beschreiben. Davon hängt ab, welche Sprachen verstanden werden.',
      hint: 'Macht aus Texten Zahlen, die ihre Bedeutung beschreiben. Davon hängt ab, welche Sprachen verstanden werden. Gib den Namen eines Modells ein, das der Server kennt.',
    },
    chunkSizeTokens: {
      name: 'Abschnittslänge in Tokens',
      hint: 'Dokumente werden in Abschnitte von höchstens dieser Länge geteilt: 16 bis 8.192. Ein Token ist ungefähr ein halbes deutsches Wort. Kurze Abschnitte antworten genau, lange geben Zusammenhang.',
    },
    overlap: {
      name: 'Überlappung in Prozent',
      hint: 'Wie viel eines Abschnitts der nächste wiederholt, damit kein Satz zerrissen wird: 0 bis unter 100.',
    },
    maxSizeBytes: {
      name: 'Platz für Dokumente in Megabyte',
      hint: 'Die Größe aller Dokumente zusammen, in Einheiten von 1.048.576 Byte. Mehr als 100 erlaubt nur der Betreiber.',
    },
    on: 'An',
    off: 'Aus',
  },
})

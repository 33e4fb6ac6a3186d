import { phrases, plural } from '../../texts/phrases.js'

export const CHUNK_TEXTS = phrases({
  en: {
    title: 'Text in chunks',
    explanation:
      'Searches find chunks of this text. A shaded part belongs to two chunks: the next one repeats it, so that no sentence loses what stands before it.',
    chunk: (ordinal: string) => `Chunk ${ordinal}`,
    pages: (first: string, last: string) => (first === last ? `page ${first}` : `pages ${first} to ${last}`),
    tokens: (tokens: string) => plural.en(tokens, '1 token', `${tokens} tokens`),
    shared: (next: string) => `Also in chunk ${next}`,
    linked: 'the link leads here',
    gone: 'The chunk of the link does not exist any more: the document was replaced, or its text was cut again. This is the place where its text was.',
    goTo: (all: string) => `Go to chunk (1 to ${all})`,
    go: 'Go',
    earlier: 'Show earlier chunks',
    later: 'Show more chunks',
    saveText: 'Download the text',
  },
  de: {
    title: 'Text in Abschnitten',
    explanation:
      'Suchen finden Abschnitte dieses Textes. Ein hinterlegter Teil gehört zu zwei Abschnitten: Der nächste wiederholt ihn, damit kein Satz verliert, was vor ihm steht.',
    chunk: (ordinal) => `Abschnitt ${ordinal}`,
    pages: (first, last) => (first === last ? `Seite ${first}` : `Seiten ${first} bis ${last}`),
    tokens: (tokens) => plural.de(tokens, '1 Token', `${tokens} Tokens`),
    shared: (next) => `Auch in Abschnitt ${next}`,
    linked: 'hierher führt der Link',
    gone: 'Den Abschnitt des Links gibt es nicht mehr: Das Dokument wurde ersetzt, oder sein Text wurde neu geteilt. An dieser Stelle stand der Text.',
    goTo: (all) => `Gehe zu Abschnitt (1 bis ${all})`,
    go: 'Los',
    earlier: 'Frühere Abschnitte anzeigen',
    later: 'Weitere Abschnitte anzeigen',
    saveText: 'Text herunterladen',
  },
})

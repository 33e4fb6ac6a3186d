const SWEEP = 'Die Reparatur entfernt herrenlose Daten und setzt liegen gebliebene Arbeit fort.'
const PROCESS = 'Die Reparatur verarbeitet das Dokument noch einmal, aus der Datei, wie sie ankam.'
const WORDS = 'Die Reparatur legt die Wörter noch einmal an, aus den gespeicherten Abschnitten.'
const DROP = 'Die Reparatur entfernt die Sammlung und legt sie aus den Dokumenten neu an.'
const UNREADABLE =
  'Vielleicht ist nichts beschädigt: Prüfe die Festplatte und das Modell dieses GPTs, und prüfe dann noch einmal. Alcove hat nichts geändert.'
const FILE =
  'Lösche das Dokument und lade die Datei noch einmal hoch, oder spiele ein Backup ein. Bis dahin bleibt der gespeicherte Text durchsuchbar.'
const FIRST = 'Bring zuerst die Datei des Dokuments oder das Modell in Ordnung, und prüfe dann noch einmal.'

/** By code: what is wrong, and what a repair does; for a problem without one, what somebody can do. */
export const GERMAN_PROBLEMS: Readonly<Record<string, readonly [problem: string, repair: string, byHand?: string]>> = {
  'database-damaged': [
    'Die Datenbank ist beschädigt.',
    'Spiele ein Backup ein. Kopiere den Ordner vorher, wie er ist, und ändere nichts daran.',
  ],
  'model-unusable': [
    'Das Embedding-Modell lässt sich nicht benutzen.',
    'Stelle die ursprünglichen Dateien des Modells wieder her oder installiere das Paket neu.',
  ],
  'model-unknown': [
    'Das GPT benutzt ein Embedding-Modell, das dieser Server nicht hat.',
    'Starte den Server auch mit diesem Modell. Bis dahin lässt sich das GPT nicht durchsuchen.',
  ],
  'quota-exceeded': [
    'Die Dokumente des GPTs sind zusammen größer, als seine Grenze erlaubt.',
    'Lösche Dokumente oder hebe die Grenze an. Bis dahin nimmt das GPT keine Uploads an.',
  ],
  'file-missing': ['Die Datei des Dokuments fehlt oder lässt sich nicht lesen.', FILE],
  'file-changed': ['Die Datei des Dokuments ist nicht mehr so, wie sie ankam.', FILE],
  'file-without-document': ['Eine Datei gehört zu keinem Dokument.', SWEEP],
  'size-wrong': [
    'Die Größe des Dokuments ist falsch vermerkt; die Datei selbst stimmt.',
    'Die Reparatur berichtigt die Größe.',
  ],
  'state-invalid': ['Das Dokument ist als fertig und zugleich als fehlgeschlagen vermerkt.', PROCESS, FIRST],
  'chunks-wrong': ['Abschnitte des Dokuments fehlen oder passen nicht zu seinem Bericht.', PROCESS, FIRST],
  'chunks-without-document': ['Abschnitte gehören zu keinem Dokument.', 'Die Reparatur entfernt die Abschnitte.'],
  'vectors-missing': ['Dem Dokument fehlen Vektoren.', PROCESS, FIRST],
  'vectors-surplus': ['Das Dokument hat zu viele Vektoren.', PROCESS, FIRST],
  'vectors-invalid': ['Ein Vektor des Dokuments kann nicht von seinem Modell stammen.', PROCESS, FIRST],
  'vectors-without-document': ['Vektoren gehören zu keinem Dokument des GPTs.', 'Die Reparatur entfernt die Vektoren.'],
  'collection-unreadable': ['Die Vektoren des GPTs lassen sich nicht lesen.', DROP, UNREADABLE],
  'collection-without-context': ['Vektoren gehören zu einem GPT, das es nicht gibt.', SWEEP],
  'collection-of-other-model': [
    'Das GPT hat Vektoren eines anderen Modells, die keine Suche findet.',
    DROP,
    UNREADABLE,
  ],
  'words-missing': ['Wörter von Dokumenten fehlen im Index der Wörter.', WORDS],
  'words-surplus': ['Der Index hat zu viele Wörter des Dokuments.', WORDS],
  'words-without-document': ['Wörter gehören zu keinem Dokument des GPTs.', 'Die Reparatur entfernt die Wörter.'],
  'words-unreadable': ['Die Wörter des GPTs lassen sich nicht lesen.', DROP, UNREADABLE],
  'words-without-context': ['Wörter gehören zu einem GPT, das es nicht gibt.', SWEEP],
  'words-of-other-version': [
    'Das GPT hat Wörter einer älteren Version von Alcove. Das ist kein Schaden, und keine Suche liest sie.',
    WORDS,
  ],
  'job-missing': ['Das Dokument ist noch nicht verarbeitet, und kein Auftrag verarbeitet es.', SWEEP],
  'job-surplus': [
    'Ein Auftrag ist übrig: Das Dokument ist schon fertig oder fehlgeschlagen.',
    'Die Reparatur entfernt den Auftrag.',
  ],
  'job-without-subject': [
    'Ein Auftrag gehört zu einem Dokument oder GPT, das es nicht gibt.',
    'Die Reparatur entfernt den Auftrag.',
  ],
  'purge-missing': ['Von Gelöschtem liegen noch Daten auf der Festplatte, und kein Auftrag entfernt sie.', SWEEP],
  'upload-left-over': ['Uploads wurden unterbrochen und sind noch vermerkt.', 'Die Reparatur entfernt die Vermerke.'],
}

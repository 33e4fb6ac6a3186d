import type { Schema } from '../../api/api.js'
import { phrases, plural } from '../../texts/phrases.js'

export const DOCTOR_TEXTS = phrases({
  en: {
    title: 'Doctor',
    about: 'Compares rows, files, vectors, words and models with each other. It changes nothing.',
    notOperator: 'The doctor checks the data of all companies, so only managers of the topmost company can run it.',
    run: 'Check everything',
    cancel: 'Cancel the check',
    running: (documents: string) =>
      `The check runs: ${documents} documents so far. Stay in this section until it ends.`,
    isCancelled: 'You cancelled the check, so there is no report. Nothing was changed.',
    other: (started: string, documents: string) =>
      `A check that somebody else began ${started} runs now: ${documents} documents so far. Wait for its end.`,
    throttled: 'Somebody else runs a check right now, and one runs at a time. Wait for its end, then try again.',
    never: 'No check yet',
    neverText:
      'Run a check after a crash, a full disk or a restored backup, or when answers miss something. It reads every file and may take minutes; searches and uploads go on meanwhile.',
    report: 'Report',
    healthy: 'Everything is in order: all that was checked fits together.',
    unhealthy: (problems: number) => `The check found ${plural.en(problems, 'a problem', `${problems} problems`)}.`,
    repair: [
      'To mend what can be repaired, somebody with a command line runs',
      'on the machine of the server. Stop the server first, unless it uses PostgreSQL.',
    ],
    byHand: 'Alcove cannot repair what is marked "mend by hand": there you read what you can do.',
    copy: 'Copy the report',
    checked: 'What was checked',
    counts: {
      contexts: 'GPTs',
      documents: 'Documents',
      files: 'Files',
      bytes: 'Bytes of the files',
      chunks: 'Chunks of text',
      windows: 'Windows of the model',
      collections: 'Collections of vectors',
      vectors: 'Vectors',
      wordCollections: 'Collections of words',
      indexedChunks: 'Chunks in the index of words',
      jobs: 'Jobs',
      models: 'Models',
    },
  },
  de: {
    title: 'Prüfung',
    about: 'Vergleicht Zeilen, Dateien, Vektoren, Wörter und Modelle miteinander. Sie ändert nichts.',
    notOperator: 'Geprüft werden die Daten aller Firmen. Deshalb dürfen das nur Verwalter der obersten Firma.',
    run: 'Alles prüfen',
    cancel: 'Prüfung abbrechen',
    running: (documents) => `Die Prüfung läuft: bisher ${documents} Dokumente. Bleib bis zum Ende in diesem Bereich.`,
    isCancelled: 'Du hast die Prüfung abgebrochen, deshalb gibt es keinen Bericht. Geändert wurde nichts.',
    other: (started, documents) =>
      `Gerade läuft eine Prüfung, die jemand anderes ${started} begonnen hat: bisher ${documents} Dokumente. Warte auf ihr Ende.`,
    throttled: 'Gerade prüft jemand anderes, und es läuft nur eine Prüfung auf einmal. Warte auf ihr Ende.',
    never: 'Noch keine Prüfung',
    neverText:
      'Prüfe nach einem Absturz, einer vollen Festplatte oder einem wiederhergestellten Backup, oder wenn in Antworten etwas fehlt. Das liest jede Datei und kann Minuten dauern; Suchen und Uploads gehen weiter.',
    report: 'Bericht',
    healthy: 'Alles ist in Ordnung: Was geprüft wurde, passt zusammen.',
    unhealthy: (problems) => `Die Prüfung hat ${plural.de(problems, 'ein Problem', `${problems} Probleme`)} gefunden.`,
    repair: [
      'Was sich reparieren lässt, repariert jemand mit einer Kommandozeile durch',
      'auf der Maschine des Servers. Halte den Server vorher an, außer er benutzt PostgreSQL.',
    ],
    byHand: 'Wo „von Hand beheben“ steht, kann Alcove nichts reparieren: Dort liest du, was du tun kannst.',
    copy: 'Bericht kopieren',
    checked: 'Was geprüft wurde',
    counts: {
      contexts: 'GPTs',
      documents: 'Dokumente',
      files: 'Dateien',
      bytes: 'Bytes der Dateien',
      chunks: 'Abschnitte',
      windows: 'Fenster des Modells',
      collections: 'Sammlungen von Vektoren',
      vectors: 'Vektoren',
      wordCollections: 'Sammlungen von Wörtern',
      indexedChunks: 'Abschnitte im Index der Wörter',
      jobs: 'Aufträge',
      models: 'Modelle',
    },
  },
})

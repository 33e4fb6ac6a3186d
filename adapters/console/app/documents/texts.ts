import type { Texts } from '../texts/language.js'
import { plural } from '../texts/plural.js'
import type { Stage } from './document.js'
import { FORMATS } from './formats.js'

interface DocumentTexts {
  readonly purpose: string
  readonly drop: string
  readonly dropHint: string
  readonly chooseFiles: string
  readonly chooseFolder: string
  readonly left: (hidden: number) => string
  readonly noFiles: string
  readonly collecting: string
  readonly stages: Readonly<Record<Stage, string>>
  readonly newVersion: (stage: string) => string
  readonly name: string
  readonly state: string
  readonly size: string
  readonly chunks: string
  readonly chunksOf: (count: number) => string
  readonly added: string
  readonly metadata: string
  readonly actions: string
  readonly tryAgain: string
  readonly undo: string
  readonly deleted: (count: number, name: string) => string
  readonly notDeleted: (count: number, reason: string) => string
}

/** Texts that several pages of the section share. */
export const TEXTS: Texts<DocumentTexts> = {
  en: {
    purpose: 'Answers come from these documents. Upload files, and see what was read from each.',
    drop: 'Drop files and folders here',
    dropHint: `Texts, PDFs, Word, Excel and PowerPoint files, web pages, mails, books and data: ${FORMATS}`,
    chooseFiles: 'Choose files',
    chooseFolder: 'Choose a folder',
    left: (hidden) => `${plural.en(hidden, 'One hidden file was', `${hidden} hidden files were`)} left out.`,
    collecting: 'Looking for files …',
    noFiles: 'There are no files in it. Choose another folder.',
    stages: {
      waiting: 'Waiting',
      reading: 'Reading the text',
      embedding: 'Making it searchable',
      completed: 'Completed',
      failed: 'Failed',
    },
    newVersion: (stage) => `New version: ${stage}`,
    name: 'Name',
    state: 'State',
    size: 'Size',
    chunks: 'Chunks',
    chunksOf: (count) => plural.en(count, 'chunk', 'chunks'),
    added: 'Added',
    metadata: 'Metadata',
    actions: 'Actions',
    tryAgain: 'Try again',
    undo: 'Undo',
    deleted: (count, name) => plural.en(count, `“${name}” is deleted.`, `${count} documents are deleted.`),
    notDeleted: (count, reason) =>
      `${plural.en(count, 'A document was', `${count} documents were`)} not deleted. ${reason}`,
  },
  de: {
    purpose: 'Antworten kommen aus diesen Dokumenten. Lade Dateien hoch und sieh nach, was aus jeder gelesen wurde.',
    drop: 'Dateien und Ordner hierher ziehen',
    dropHint: `Texte, PDFs, Dateien von Word, Excel und PowerPoint, Webseiten, E-Mails, Bücher und Daten: ${FORMATS}`,
    chooseFiles: 'Dateien wählen',
    chooseFolder: 'Ordner wählen',
    left: (hidden) =>
      `${plural.de(hidden, 'Eine versteckte Datei wurde', `${hidden} versteckte Dateien wurden`)} weggelassen.`,
    collecting: 'Dateien werden gesucht …',
    noFiles: 'Darin sind keine Dateien. Wähle einen anderen Ordner.',
    stages: {
      waiting: 'Wartet',
      reading: 'Text wird gelesen',
      embedding: 'Wird durchsuchbar gemacht',
      completed: 'Fertig',
      failed: 'Fehlgeschlagen',
    },
    newVersion: (stage) => `Neue Version: ${stage}`,
    name: 'Name',
    state: 'Status',
    size: 'Größe',
    chunks: 'Abschnitte',
    chunksOf: (count) => plural.de(count, 'Abschnitt', 'Abschnitte'),
    added: 'Hinzugefügt',
    metadata: 'Metadaten',
    actions: 'Aktionen',
    tryAgain: 'Noch einmal versuchen',
    undo: 'Rückgängig',
    deleted: (count, name) => plural.de(count, `„${name}“ ist gelöscht.`, `${count} Dokumente sind gelöscht.`),
    notDeleted: (count, reason) =>
      `${plural.de(count, 'Ein Dokument wurde', `${count} Dokumente wurden`)} nicht gelöscht. ${reason}`,
  },
}

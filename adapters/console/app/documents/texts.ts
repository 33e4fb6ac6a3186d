import { phrases, plural } from '../texts/phrases.js'

/** The endings of the names of files that can be read, without those of source code. */
export const FORMATS =
  '.txt .md .pdf .docx .doc .odt .rtf .xlsx .ods .pptx .odp .html .eml .msg .epub .csv .json .jsonl .log .xml .yaml .yml .toml .ini .srt .vtt'

/** Texts that several pages of the section share. */
export const TEXTS = phrases({
  en: {
    purpose: 'Answers come from these documents. Upload files, and see what was read from each.',
    drop: 'Drop files and folders here',
    dropHint: `Texts, PDFs, files of Word, Excel, PowerPoint and LibreOffice, web pages, mails, books and data: ${FORMATS}, and source code`,
    chooseFiles: 'Choose files',
    chooseFolder: 'Choose a folder',
    left: (hidden: number) => `${plural.en(hidden, 'One hidden file was', `${hidden} hidden files were`)} left out.`,
    collecting: 'Looking for files …',
    noFiles: 'There are no files in it. Choose another folder.',
    stages: {
      waiting: 'Waiting',
      reading: 'Reading the text',
      embedding: 'Making it searchable',
      completed: 'Completed',
      failed: 'Failed',
    },
    newVersion: (stage: string) => `New version: ${stage}`,
    name: 'Name',
    state: 'State',
    size: 'Size',
    chunks: 'Chunks',
    chunksOf: (count: number) => plural.en(count, 'chunk', 'chunks'),
    added: 'Added',
    metadata: 'Metadata',
    actions: 'Actions',
    tryAgain: 'Try again',
    undo: 'Undo',
    deleted: (count: number, name: string) =>
      plural.en(count, `“${name}” is deleted.`, `${count} documents are deleted.`),
    notDeleted: (count: number, reason: string) =>
      `${plural.en(count, 'A document was', `${count} documents were`)} not deleted. ${reason}`,
  },
  de: {
    purpose: 'Antworten kommen aus diesen Dokumenten. Lade Dateien hoch und sieh nach, was aus jeder gelesen wurde.',
    drop: 'Dateien und Ordner hierher ziehen',
    dropHint: `Texte, PDFs, Dateien von Word, Excel, PowerPoint und LibreOffice, Webseiten, E-Mails, Bücher und Daten: ${FORMATS}, und Quelltext`,
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
})

import type { Texts } from '../../texts/language.js'

type StageName = 'extract' | 'words' | 'embed' | 'index' | 'total'

interface DetailTexts {
  readonly back: string
  readonly download: string
  readonly replace: string
  readonly replaceTitle: (present: string, file: string) => string
  readonly replaceText: (name: string) => string
  readonly replaceAction: string
  readonly edit: string
  readonly remove: string
  readonly facts: string
  readonly originalName: string
  readonly type: string
  readonly addedBy: (name: string) => string
  readonly you: string
  readonly otherUser: string
  readonly removedUser: string
  readonly none: string
  readonly newVersion: string
  readonly failedVersion: string
  readonly newVersionText: (name: string) => string
  readonly newVersionFailed: string
  readonly receipt: string
  readonly receiptWait: string
  readonly receiptMissing: string
  readonly pages: string
  readonly characters: string
  readonly tokens: string
  readonly windows: string
  readonly windowsText: (windows: string, reused: string) => string
  readonly model: string
  readonly stage: string
  readonly time: string
  readonly seconds: (seconds: string) => string
  readonly stageNames: Readonly<Record<StageName, string>>
  readonly overlapping: string
  readonly warnings: string
  readonly save: string
  readonly cancel: string
  readonly nameHint: string
  readonly key: string
  readonly kind: string
  readonly value: string
  readonly kinds: Readonly<Record<'text' | 'number' | 'yes' | 'list', string>>
  readonly listHint: string
  readonly yesHint: string
  readonly addValue: string
  readonly removeValue: (key: string) => string
  readonly metadataHint: string
  readonly notNumber: string
  readonly notYes: string
  readonly sameKey: string
  readonly noKey: string
}

export const DETAIL_TEXTS: Texts<DetailTexts> = {
  en: {
    back: 'All documents',
    download: 'Download',
    replace: 'Replace by a new version',
    replaceTitle: (present, file) => `Replace ${present} by ${file}?`,
    replaceText: (name) =>
      `The file has another name. Its content takes the place of the document “${name}”, and the present content is deleted.`,
    replaceAction: 'Replace',
    edit: 'Edit',
    remove: 'Delete',
    facts: 'About the document',
    originalName: 'File',
    type: 'Kind',
    addedBy: (name) => `by ${name}`,
    you: 'you',
    otherUser: 'another user',
    removedUser: 'a user who was removed or is not in your companies',
    none: 'None',
    newVersion: 'A new version is on its way',
    failedVersion: 'The new version failed',
    newVersionText: (name) =>
      `“${name}” takes the place of this version once it is completed. Until then, searches find this one.`,
    newVersionFailed: 'Searches find this one still. Replace it by another file.',
    receipt: 'What was read',
    receiptWait: 'The receipt comes when the document is completed.',
    receiptMissing: 'There is no receipt, because nothing was made searchable.',
    pages: 'Pages',
    characters: 'Characters',
    tokens: 'Tokens',
    windows: 'Windows',
    windowsText: (windows, reused) => `${windows}, known already: ${reused}`,
    model: 'Embedding model',
    stage: 'Stage',
    time: 'Time',
    seconds: (seconds) => `${seconds} s`,
    stageNames: {
      extract: 'Read the text',
      words: 'Add the words',
      embed: 'Compute the vectors',
      index: 'Store the vectors',
      total: 'In all',
    },
    overlapping: 'Stages run at the same time, so their sum can be longer than the whole.',
    warnings: 'Not everything could be read',
    save: 'Save',
    cancel: 'Cancel',
    nameHint: 'Searches and lists show it. Empty: the name of the file.',
    key: 'Field',
    kind: 'Kind',
    value: 'Value',
    kinds: { text: 'Text', number: 'Number', yes: 'Yes or no', list: 'List' },
    listHint: 'Texts with a semicolon between them',
    yesHint: 'true or false',
    addValue: 'Add a value',
    removeValue: (key) => `Remove ${key}`,
    metadataHint: 'Fields with values, such as a year or a department. Searches can select documents by them.',
    notNumber: 'Write a number, such as 2026.',
    notYes: 'Write true or false.',
    sameKey: 'Two fields have this name. Change one of them.',
    noKey: 'Give the value a field, or remove it.',
  },
  de: {
    back: 'Alle Dokumente',
    download: 'Herunterladen',
    replace: 'Durch neue Version ersetzen',
    replaceTitle: (present, file) => `${present} durch ${file} ersetzen?`,
    replaceText: (name) =>
      `Die Datei heißt anders. Ihr Inhalt ersetzt den des Dokuments „${name}“, und der jetzige Inhalt wird gelöscht.`,
    replaceAction: 'Ersetzen',
    edit: 'Bearbeiten',
    remove: 'Löschen',
    facts: 'Über das Dokument',
    originalName: 'Datei',
    type: 'Art',
    addedBy: (name) => `von ${name}`,
    you: 'dir',
    otherUser: 'jemand anderem',
    removedUser: 'jemandem, der entfernt wurde oder nicht zu deinen Firmen gehört',
    none: 'Keine',
    newVersion: 'Eine neue Version ist unterwegs',
    failedVersion: 'Die neue Version ist fehlgeschlagen',
    newVersionText: (name) =>
      `„${name}“ ersetzt diese Version, sobald sie fertig ist. Bis dahin finden Suchen diese hier.`,
    newVersionFailed: 'Suchen finden weiter diese hier. Ersetze sie durch eine andere Datei.',
    receipt: 'Was gelesen wurde',
    receiptWait: 'Der Bericht erscheint, sobald das Dokument fertig ist.',
    receiptMissing: 'Es gibt keinen Bericht, weil nichts durchsuchbar gemacht wurde.',
    pages: 'Seiten',
    characters: 'Zeichen',
    tokens: 'Tokens',
    windows: 'Fenster',
    windowsText: (windows, reused) => `${windows}, schon bekannt: ${reused}`,
    model: 'Embedding-Modell',
    stage: 'Schritt',
    time: 'Zeit',
    seconds: (seconds) => `${seconds} s`,
    stageNames: {
      extract: 'Text lesen',
      words: 'Wörter aufnehmen',
      embed: 'Vektoren berechnen',
      index: 'Vektoren speichern',
      total: 'Insgesamt',
    },
    overlapping: 'Schritte laufen gleichzeitig, also kann ihre Summe länger sein als das Ganze.',
    warnings: 'Nicht alles ließ sich lesen',
    save: 'Speichern',
    cancel: 'Abbrechen',
    nameHint: 'Suchen und Listen zeigen ihn. Leer: der Name der Datei.',
    key: 'Feld',
    kind: 'Art',
    value: 'Wert',
    kinds: { text: 'Text', number: 'Zahl', yes: 'Ja oder nein', list: 'Liste' },
    listHint: 'Texte mit einem Semikolon dazwischen',
    yesHint: 'true oder false',
    addValue: 'Wert hinzufügen',
    removeValue: (key) => `${key} entfernen`,
    metadataHint: 'Felder mit Werten, etwa ein Jahr oder eine Abteilung. Suchen können Dokumente danach auswählen.',
    notNumber: 'Schreib eine Zahl, etwa 2026.',
    notYes: 'Schreib true oder false.',
    sameKey: 'Zwei Felder heißen so. Ändere eines davon.',
    noKey: 'Gib dem Wert ein Feld oder entferne ihn.',
  },
}

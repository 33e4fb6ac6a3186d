import { phrases, plural } from '../texts/phrases.js'

/** The notice of uploads that the end of a login has cancelled, such as by a sign-out in another tab. */
export const LOST_UPLOADS_TEXTS = phrases({
  en: (count: number) =>
    plural.en(
      count,
      'One file was not sent yet, and its upload is cancelled. Upload it again.',
      `${count} files were not sent yet, and their uploads are cancelled. Upload them again.`,
    ),
  de: (count) =>
    plural.de(
      count,
      'Eine Datei war noch nicht gesendet, und ihr Upload ist abgebrochen. Lade sie noch einmal hoch.',
      `${count} Dateien waren noch nicht gesendet, und ihre Uploads sind abgebrochen. Lade sie noch einmal hoch.`,
    ),
})

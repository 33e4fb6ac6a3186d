import type { Texts } from '../../texts/language.js'
import { plural } from '../../texts/plural.js'

interface UploadTexts {
  readonly title: string
  readonly summary: (done: string, all: string, failed: string | undefined) => string
  readonly more: (count: string) => string
  readonly queued: string
  readonly sending: (percent: string) => string
  readonly away: string
  readonly received: (stage: string) => string
  readonly cancel: (name: string) => string
  readonly remove: (name: string) => string
  readonly cancelAll: string
  readonly again: (name: string) => string
  readonly clear: string
}

export const UPLOAD_TEXTS: Texts<UploadTexts> = {
  en: {
    title: 'Uploads',
    summary: (done, all, failed) => `${done} of ${all} done${failed !== undefined ? `, ${failed} failed` : ''}.`,
    more: (count) => plural.en(count, '… and 1 more file', `… and ${count} more files`),
    queued: 'Waits for its turn',
    sending: (percent) => `Sending: ${percent}`,
    away: 'The server does not answer now. The upload goes on by itself once it does.',
    received: (stage) => `Received. ${stage}`,
    cancel: (name) => `Cancel ${name}`,
    remove: (name) => `Remove ${name} from this list`,
    cancelAll: 'Cancel all',
    again: (name) => `Try again: ${name}`,
    clear: 'Clear the list',
  },
  de: {
    title: 'Hochladen',
    summary: (done, all, failed) =>
      `${done} von ${all} fertig${failed !== undefined ? `, ${failed} fehlgeschlagen` : ''}.`,
    more: (count) => plural.de(count, '… und 1 weitere Datei', `… und ${count} weitere Dateien`),
    queued: 'Wartet, bis es an der Reihe ist',
    sending: (percent) => `Wird gesendet: ${percent}`,
    away: 'Der Server antwortet gerade nicht. Das Hochladen geht von selbst weiter, sobald er antwortet.',
    received: (stage) => `Empfangen. ${stage}`,
    cancel: (name) => `${name} abbrechen`,
    remove: (name) => `${name} aus dieser Liste entfernen`,
    cancelAll: 'Alle abbrechen',
    again: (name) => `Noch einmal versuchen: ${name}`,
    clear: 'Liste leeren',
  },
}

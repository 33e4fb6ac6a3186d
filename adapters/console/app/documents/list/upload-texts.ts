import { phrases, plural } from '../../texts/phrases.js'

export const UPLOAD_TEXTS = phrases({
  en: {
    title: 'Uploads',
    summary: (done: string, all: string, failed: string | undefined) =>
      `${done} of ${all} done${failed !== undefined ? `, ${failed} failed` : ''}.`,
    more: (count: string) => plural.en(count, '… and 1 more file', `… and ${count} more files`),
    queued: 'Waits for its turn',
    sending: (percent: string) => `Sending: ${percent}`,
    away: 'The server does not answer now. The upload goes on by itself once it does.',
    received: (stage: string) => `Received. ${stage}`,
    cancel: (name: string) => `Cancel ${name}`,
    remove: (name: string) => `Remove ${name} from this list`,
    cancelAll: 'Cancel all',
    again: (name: string) => `Try again: ${name}`,
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
})

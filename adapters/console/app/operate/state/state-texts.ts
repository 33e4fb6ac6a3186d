import { phrases, plural } from '../../texts/phrases.js'

export const STATE_TEXTS = phrases({
  en: {
    title: 'State',
    about: 'Does the server work, and does anything wait? The page looks every 5 seconds.',
    notOperator:
      'Queues, disks and models concern all companies, so only managers of the topmost company see them. Quotas and the audit trail of your companies are above.',
    isUnknown: 'unknown',
    process: 'The process that answers',
    version: 'Version of Alcove',
    uptime: 'Uptime',
    since: (duration: string, started: string) => `${duration} (${started})`,
    work: 'Work in the background',
    roles: { ingest: 'processes documents and removes deleted data', relay: 'sends webhooks and mails' },
    noRoles: 'None: another process does it.',
    deliveries: 'Webhooks that wait for delivery',
    mails: 'Mails',
    mailKinds: {
      sent: 'go out',
      kept: 'do not go out: they stay as files in the folder “mail” of the data folder. “alcove serve --smtp-url” sets a mail server.',
    },
    queues: 'Queues',
    disk: 'Disk',
    models: 'Embedding models',
    data: 'Stored data',
    dataAbout:
      'Rows of the tables that grow, and collections of the indexes: one for each GPT and generation. They are counted at most once a minute.',
    /** By name of the table. */
    tables: {
      companies: 'Companies',
      users: 'Users',
      contexts: 'GPTs',
      documents: 'Documents',
      chunks: 'Chunks of text',
      events: 'Events',
      deliveries: 'Deliveries of webhooks',
      audit: 'Entries of the audit trail',
    },
    vectorCollections: 'Collections of vectors',
    wordCollections: 'Collections of words',
    startCheck: 'Check after the start',
    noStartCheck: 'The check is not finished yet, or this process does not run it.',
    startCheckGood: 'The quick check after the start found nothing wrong. The doctor checks thoroughly.',
    startCheckBad: (problems: number) =>
      `The quick check after the start found ${plural.en(problems, 'a problem', `${problems} problems`)}. The doctor checks thoroughly.`,
  },
  de: {
    title: 'Status',
    about: 'Funktioniert der Server, und wartet etwas? Die Seite prüft es alle 5 Sekunden.',
    notOperator:
      'Warteschlangen, Speicher und Modelle betreffen alle Firmen. Deshalb sehen sie nur Verwalter der obersten Firma. Kontingente und Protokoll deiner Firmen stehen oben.',
    isUnknown: 'unbekannt',
    process: 'Der Prozess, der antwortet',
    version: 'Version von Alcove',
    uptime: 'Läuft seit',
    since: (duration, started) => `${duration} (${started})`,
    work: 'Arbeit im Hintergrund',
    roles: { ingest: 'verarbeitet Dokumente und entfernt Gelöschtes', relay: 'sendet Webhooks und E-Mails' },
    noRoles: 'Keine: Ein anderer Prozess erledigt sie.',
    deliveries: 'Webhooks, die auf Zustellung warten',
    mails: 'E-Mails',
    mailKinds: {
      sent: 'gehen hinaus',
      kept: 'gehen nicht hinaus: Sie bleiben als Dateien im Ordner „mail“ des Datenordners. „alcove serve --smtp-url“ setzt einen Mailserver.',
    },
    queues: 'Warteschlangen',
    disk: 'Speicherplatz',
    models: 'Embedding-Modelle',
    data: 'Gespeicherte Daten',
    dataAbout:
      'Zeilen der Tabellen, die wachsen, und Sammlungen der Indexe: eine je GPT und Generation. Sie werden höchstens einmal in der Minute gezählt.',
    tables: {
      companies: 'Firmen',
      users: 'Benutzer',
      contexts: 'GPTs',
      documents: 'Dokumente',
      chunks: 'Abschnitte',
      events: 'Ereignisse',
      deliveries: 'Zustellungen von Webhooks',
      audit: 'Einträge des Protokolls',
    },
    vectorCollections: 'Sammlungen von Vektoren',
    wordCollections: 'Sammlungen von Wörtern',
    startCheck: 'Prüfung nach dem Start',
    noStartCheck: 'Die Prüfung ist noch nicht fertig, oder dieser Prozess macht sie nicht.',
    startCheckGood:
      'Die schnelle Prüfung nach dem Start hat keinen Fehler gefunden. Gründlicher ist die Seite Prüfung.',
    startCheckBad: (problems) =>
      `Die schnelle Prüfung nach dem Start hat ${plural.de(problems, 'ein Problem', `${problems} Probleme`)} gefunden. Gründlicher ist die Seite Prüfung.`,
  },
})

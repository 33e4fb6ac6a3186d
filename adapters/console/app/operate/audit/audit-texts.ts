import type { Texts } from '../../texts/language.js'
import type { AuditEntry } from './actions.js'

interface AuditTexts {
  readonly title: string
  readonly about: string
  readonly filters: string
  readonly company: string
  readonly allCompanies: string
  readonly companyNumber: string
  readonly companyHint: string
  readonly action: string
  readonly allActions: string
  readonly user: string
  readonly allUsers: string
  readonly userByNumber: string
  readonly userByNumberHint: string
  readonly userNumber: string
  readonly userHint: string
  readonly from: string
  readonly to: string
  readonly clear: string
  readonly again: string
  readonly list: string
  readonly more: string
  readonly none: string
  readonly noneText: string
  readonly noneFound: string
  readonly noneFoundText: string
  readonly outcomes: Readonly<Record<AuditEntry['outcome'], string>>
  readonly actors: Readonly<Record<AuditEntry['actor']['kind'], string>>
  readonly actorNumber: (id: number) => string
  readonly unknownTarget: string
  readonly address: (address: string) => string
  readonly client: (clientId: string) => string
  readonly details: string
  readonly onlyUser: string
}

export const AUDIT_TEXTS: Texts<AuditTexts> = {
  en: {
    title: 'Audit trail',
    about:
      'Who did what in your companies, from where, when, and with what outcome. The newest is first. Entries never change. Refused sign-ins are recorded, successful ones are not: the page of each user in People has the latest.',
    filters: 'Filters',
    company: 'Company',
    allCompanies: 'All companies',
    companyNumber: 'Number of the company',
    companyHint: 'The page Quotas has the numbers.',
    action: 'Action',
    allActions: 'All actions',
    user: 'Who',
    allUsers: 'Everybody',
    userByNumber: 'Another user, by number',
    userByNumberHint: 'The list has those who acted last.',
    userNumber: 'Number of the user',
    userHint: 'The address of the user’s page in the section People ends with it.',
    from: 'From',
    to: 'Until and including',
    clear: 'Clear the filters',
    again: 'Look again',
    list: 'Entries',
    more: 'Show older entries',
    none: 'No entries yet',
    noneText:
      'Changes by people, API keys and the host appear here: users, permissions, keys, GPTs, documents and webhooks, and attempts that were refused. Searches and downloads are not recorded.',
    noneFound: 'No entry has all of this',
    noneFoundText: 'Choose fewer filters or a longer time.',
    outcomes: { done: 'done', refused: 'refused' },
    actors: {
      user: 'A deleted user',
      host: 'The host',
      system: 'Alcove itself',
      anonymous: 'Somebody who was not signed in',
    },
    actorNumber: (id) => `User ${id}`,
    unknownTarget: '(unknown)',
    address: (address) => `from ${address}`,
    client: (clientId) => `with the API key ${clientId}`,
    details: 'Details',
    onlyUser: 'Only actions of this user',
  },
  de: {
    title: 'Protokoll',
    about:
      'Wer in deinen Firmen was getan hat, von wo, wann und mit welchem Ergebnis. Das Neueste steht oben. Einträge ändern sich nie. Abgelehnte Anmeldungen werden aufgezeichnet, gelungene nicht: Die letzte steht auf der Seite des Benutzers im Bereich Personen.',
    filters: 'Filter',
    company: 'Firma',
    allCompanies: 'Alle Firmen',
    companyNumber: 'Nummer der Firma',
    companyHint: 'Die Nummern stehen unter Kontingente.',
    action: 'Aktion',
    allActions: 'Alle Aktionen',
    user: 'Wer',
    allUsers: 'Alle',
    userByNumber: 'Anderer Benutzer, nach Nummer',
    userByNumberHint: 'Die Liste enthält alle, die zuletzt etwas getan haben.',
    userNumber: 'Nummer des Benutzers',
    userHint: 'Sie steht am Ende der Adresse der Seite des Benutzers im Bereich Personen.',
    from: 'Von',
    to: 'Bis einschließlich',
    clear: 'Filter entfernen',
    again: 'Aktualisieren',
    list: 'Einträge',
    more: 'Ältere Einträge anzeigen',
    none: 'Noch keine Einträge',
    noneText:
      'Hier erscheinen Änderungen durch Personen, API-Schlüssel und den Host: Benutzer, Rechte, Schlüssel, GPTs, Dokumente und Webhooks, auch abgelehnte Versuche. Suchen und Downloads werden nicht aufgezeichnet.',
    noneFound: 'Kein passender Eintrag',
    noneFoundText: 'Wähle weniger Filter oder eine längere Zeit.',
    outcomes: { done: 'ausgeführt', refused: 'abgelehnt' },
    actors: {
      user: 'Ein gelöschter Benutzer',
      host: 'Der Host',
      system: 'Alcove selbst',
      anonymous: 'Jemand ohne Anmeldung',
    },
    actorNumber: (id) => `Benutzer ${id}`,
    unknownTarget: '(unbekannt)',
    address: (address) => `von ${address}`,
    client: (clientId) => `mit dem API-Schlüssel ${clientId}`,
    details: 'Einzelheiten',
    onlyUser: 'Nur Aktionen dieses Benutzers',
  },
}

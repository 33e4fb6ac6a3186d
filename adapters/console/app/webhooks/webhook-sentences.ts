import { FIELD_SENTENCES } from '../api/field-sentences.js'
import { type GermanSentences, patternsOf } from '../api/german-sentences.js'

const REFUSALS: Readonly<Record<string, string>> = {
  'is not a public address': 'keine öffentliche Adresse',
  'is an address of this machine': 'eine Adresse dieser Maschine',
  'is an address of the engine itself': 'eine Adresse von Alcove selbst',
  'is denied by the operator': 'eine Adresse, die der Betreiber sperrt',
  'is not an IP address': 'keine IP-Adresse',
}

/** Why Alcove does not contact an address. */
const REFUSAL_SENTENCES = Object.entries(REFUSALS).flatMap(([english, german]) => [
  ...patternsOf({
    [`the name (\\S+) resolves to an address that ${english}`]: `Der Name $1 führt zu einer Adresse, die gesperrt ist: Sie ist ${german}.`,
    [`(\\S+) ${english}`]: `$1 ist ${german}.`,
  }),
])

const FAILURES: Readonly<Record<string, string>> = {
  'the connection was refused': 'Die Verbindung wurde abgelehnt',
  'the connection was closed before there was a response': 'Die Verbindung wurde geschlossen, bevor eine Antwort kam',
  'the connection ended without a response': 'Die Verbindung endete ohne Antwort',
  'the address cannot be reached': 'Die Adresse ist nicht erreichbar',
  'the address did not answer': 'Die Adresse hat nicht geantwortet',
  'the certificate has expired': 'Das Zertifikat ist abgelaufen',
  'the certificate is for another name': 'Das Zertifikat gilt für einen anderen Namen',
  'the certificate is not trusted': 'Dem Zertifikat wird nicht vertraut',
  'no TLS connection could be made': 'Es kam keine TLS-Verbindung zustande',
  'the headers of the response are too large': 'Die Kopfzeilen der Antwort sind zu groß',
  'the server sent too many bytes without a complete response': 'Es kamen zu viele Bytes ohne vollständige Antwort',
  'the response does not have the status of a final response': 'Die Antwort hat keinen endgültigen Status',
  'the answer is not an HTTP response': 'Die Antwort ist nicht von HTTP',
  'the request could not be made': 'Die Anfrage ließ sich nicht stellen',
  'the request failed': 'Die Anfrage ist fehlgeschlagen',
}

const FAILURE_SENTENCES = patternsOf(
  Object.fromEntries(Object.entries(FAILURES).map(([english, german]) => [`${english}( \\(\\w+\\))?`, `${german}$1.`])),
)

/** The server's sentences about the URL of a destination, and in the log of its deliveries. */
export const WEBHOOK_SENTENCES: GermanSentences = [
  ...REFUSAL_SENTENCES,
  ...FAILURE_SENTENCES,
  ...patternsOf({
    'the destination answered (\\d+)': 'Der Empfänger hat mit $1 geantwortet.',
    'the destination answered (\\d+): its URL is gone':
      'Der Empfänger hat mit $1 geantwortet: Die URL gibt es nicht mehr.',
    'the destination answered (\\d+); redirects are not followed':
      'Der Empfänger hat mit $1 geantwortet. Weiterleitungen folgt Alcove nicht.',
    'there was no response within (\\S+) s': 'Innerhalb von $1 s kam keine Antwort.',
    'the name (\\S+) does not resolve within (\\S+) s': 'Der Name $1 ließ sich in $2 s nicht auflösen.',
    'the name (\\S+) does not resolve( \\(\\w+\\))?': 'Der Name $1 lässt sich nicht auflösen$2.',
    'the name (\\S+) has more than (\\d+) addresses': 'Der Name $1 hat mehr als $2 Adressen.',
    'the port (\\d+) may not be contacted': 'Den Port $1 spricht Alcove nicht an.',
    '(\\S+) is a name of a local network, which may not be contacted':
      '$1 ist ein Name in einem lokalen Netz, das Alcove nicht anspricht.',
    '(\\S+) is not the name of a host on the internet': '$1 ist kein Name eines Rechners im Internet.',
    'the destination was deleted or is disabled, or its company is disabled':
      'Das Ziel ist gelöscht oder deaktiviert, oder seine Firma ist deaktiviert.',
    'the stored bytes of the event (\\S+) are damaged.*': 'Der gespeicherte Inhalt des Ereignisses $1 ist beschädigt.',
    'an internal failure \\((\\w+)\\)': 'Alcove selbst hat einen Fehler gemacht ($1).',
    'must begin with https://': 'Muss mit https:// beginnen.',
    'must name a host': 'Muss einen Rechner nennen.',
    'must not have white space, control characters or backslashes':
      'Darf keine Leerzeichen, Steuerzeichen und umgekehrten Schrägstriche haben.',
    'must not have a user name or a password': 'Darf weder Benutzernamen noch Passwort haben.',
    'must not have a fragment': 'Darf keinen Teil mit # haben.',
    'has a host or a port that is not valid': 'Rechner oder Port sind nicht gültig.',
    'has a host that is not a valid host name': 'Der Name des Rechners ist nicht gültig.',
    'must have at most (\\d+) characters, in punycode and escaped':
      'Darf höchstens $1 Zeichen haben, auch in der technischen Schreibweise.',
  }),
  ...FIELD_SENTENCES,
]

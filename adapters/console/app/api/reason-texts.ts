import type { components } from '../../../client/index.js'
import { nameOfLanguage } from '../texts/language-names.js'
import { type Language, phraseOf, phrases, useLanguage, useTexts } from '../texts/phrases.js'
import { sentence } from './error-texts.js'

type Reason = components['schemas']['ErrorReason']

/** One sentence, or one for the `count` 1 and one for other counts. Braces hold names of parameters. */
type ReasonText = string | readonly [one: string, other: string]

/** The reasons of the server, by their codes. */
export const REASON_TEXTS = phrases({
  en: {
    required: 'Is required.',
    empty: 'Must not be empty.',
    'not-one-line': 'Must be one line, without control characters.',
    'too-long': 'Must have at most {max} characters.',
    'too-long-with-first-name':
      'Must have at most {max} characters together with the first name, or come with a shorter name.',
    'too-many-bytes': 'Must have at most {max} bytes in UTF-8.',
    'too-many-elements': 'Must have at most {max} elements.',
    'too-short': 'Must have at least {min} characters.',
    'not-in-list': 'Must be one of {values}.',
    'not-an-integer': 'Must be an integer.',
    'integer-out-of-range': 'Must be an integer from {min} to {max}.',
    'integer-too-small': 'Must be an integer, {min} or more.',
    'number-out-of-range': 'Must be a number from {min} to {max}.',
    'number-not-below': 'Must be a number at least {min} and less than {max}.',
    'null-character': 'Must not contain the character U+0000.',
    'half-character': 'Contains half of a character: enter the text once more.',
    'angle-bracket': 'Must not contain < or >.',
    'text-direction': 'Must not contain characters that change the direction of text.',
    'web-address': 'Must be a name, without web addresses: put a space after each full stop.',
    'not-an-email-address': 'Must be an e-mail address such as name@example.com.',
    'not-a-single-character': 'Must be a single character.',
    'not-a-function-name':
      'Must be a function name: letters, digits and underscores, not starting with a digit, at most 64 characters.',
    'not-unique': 'Must be unique; {same} has the same.',
    'same-user': 'Must be another user.',
    'unknown-model': 'No model named {model}; known: {models}.',
    'not-a-date': 'Must be a date such as 2030-01-31.',
    'not-in-the-future': 'Must lie in the future.',
    'no-event-type': 'Choose at least one event.',
    'not-https': 'Must begin with https://.',
    'no-host': 'Must name a host.',
    'url-characters': 'Must not have white space, control characters or backslashes.',
    'url-credentials': 'Must not have a user name or a password.',
    'url-fragment': 'Must not have a fragment.',
    'url-host-or-port': 'Has a host or a port that is not valid.',
    'url-host-name': 'Has a host that is not a valid host name.',
    'url-too-long': 'Must have at most {max} characters, in punycode and escaped.',
    'address-not-public': '{address} is not a public address.',
    'address-of-machine': '{address} is an address of this machine.',
    'address-of-engine': '{address} is an address of Alcove itself.',
    'address-denied': '{address} is denied by the operator.',
    'address-malformed': '{address} is not an IP address.',
    'name-not-public': 'The name {name} resolves to an address that is not public.',
    'name-of-machine': 'The name {name} resolves to an address of this machine.',
    'name-of-engine': 'The name {name} resolves to an address of Alcove itself.',
    'name-denied': 'The name {name} resolves to an address that the operator denies.',
    'name-malformed': 'The name {name} resolves to something that is not an IP address.',
    'name-with-too-many-addresses': 'The name {name} has more than {max} addresses.',
    'name-unresolved': 'The name {name} does not resolve ({system}).',
    'name-unresolved-in-time': 'The name {name} does not resolve within {seconds} s.',
    'name-not-resolved-to-public':
      'The name does not resolve to public addresses. Use a name that resolves everywhere on the internet.',
    'local-name': '{name} is a name of a local network, which may not be contacted.',
    'name-without-host': '{name} is not the name of a host on the internet.',
    'refused-port': 'The port {port} may not be contacted.',
    answered: 'The destination answered {status}.',
    'answered-redirect': 'The destination answered {status}; redirects are not followed.',
    'answered-gone': 'The destination answered {status}: its URL is gone.',
    'no-answer-in-time': 'There was no response within {seconds} s.',
    'connection-refused': 'The connection was refused ({system}).',
    'connection-closed': 'The connection was closed before there was a response ({system}).',
    'connection-ended': 'The connection ended without a response.',
    'address-unreachable': 'The address cannot be reached ({system}).',
    'address-silent': 'The address did not answer ({system}).',
    'certificate-expired': 'The certificate has expired ({system}).',
    'certificate-of-other-name': 'The certificate is for another name ({system}).',
    'certificate-not-trusted': 'The certificate is not trusted ({system}).',
    'no-tls-connection': 'No TLS connection could be made ({system}).',
    'headers-too-large': 'The headers of the response are too large ({system}).',
    'response-too-large': 'The server sent too many bytes without a complete response ({system}).',
    'response-not-final': 'The response does not have the status of a final response ({system}).',
    'response-not-http': 'The answer is not an HTTP response ({system}).',
    'request-impossible': 'The request could not be made ({system}).',
    'request-failed': 'The request failed ({system}).',
    'destination-deleted': 'The destination was deleted.',
    'destination-not-usable': 'The destination was deleted or is disabled, or its company is disabled.',
    'event-private':
      'The event names a document of a private context, and whoever set the URL of the destination does not see all contexts.',
    'event-damaged': 'The stored bytes of the event {event} are damaged.',
    'internal-failure': 'Alcove itself has made a mistake.',
    'encoding-unsure': 'The encoding is not certain: the text was read as {name}; if that is wrong, save it as UTF-8.',
    'characters-undecodable': [
      '1 character could not be decoded and became U+FFFD.',
      '{count} characters could not be decoded and became U+FFFD.',
    ],
    'zero-characters': ['1 zero character became U+FFFD.', '{count} zero characters became U+FFFD.'],
    'mail-characters-undecodable': 'Some characters of the mail could not be decoded and became U+FFFD.',
    'lines-not-json': [
      '1 line is not valid JSON: its text is kept unchanged.',
      '{count} lines are not valid JSON: their text is kept unchanged.',
    ],
    'lines-not-rows': [
      '1 line is not a row of the table (an open quote, or too long): its text is kept unchanged.',
      '{count} lines are not rows of the table (an open quote, or too long): their text is kept unchanged.',
    ],
    'column-names-too-long': 'The column names are too long to repeat them in every row.',
    'document-incomplete': 'The document is incomplete: some of its text is missing.',
    'formatting-damaged':
      'The formatting of the document is damaged: deleted text may be included, and tables are not in rows.',
    'embedded-text-left-out': 'Text of another format that is embedded in the document is left out.',
    'attachments-not-read': ['1 attachment is not read.', '{count} attachments are not read.'],
    'hidden-sheets': ['1 hidden sheet is left out.', '{count} hidden sheets are left out.'],
    'hidden-slides': ['1 hidden slide is left out.', '{count} hidden slides are left out.'],
    'cells-missing': [
      'The text of 1 cell of the sheet “{sheet}” is missing.',
      'The texts of {count} cells of the sheet “{sheet}” are missing.',
    ],
    'cells-may-be-missing': 'Some cells may be missing or have another format ({part}).',
    'sheets-may-be-missing': 'Some sheets may be missing ({part}).',
    'slides-may-be-missing': 'Some slides may be missing ({part}).',
    'text-may-be-missing': 'Some of the text may be missing ({part}).',
    'pages-may-be-lost': [
      'The file is damaged: 1 page was found, others may be lost.',
      'The file is damaged: {count} pages were found, others may be lost.',
    ],
    'page-damaged': 'Page {page} is damaged and left out.',
    'page-without-text': 'Page {page} has no text.',
    'page-garbled': 'Page {page} has characters without meaning: its fonts have no Unicode map.',
    'page-picture': 'Page {page} is a picture with a few letters: text in pictures is not read.',
    'more-warnings': '… and {count} more.',
    'language-unknown-to-model':
      'The text is {language}, which the model {model} does not know: it is found by words alone.',
  } satisfies Readonly<Record<Reason['code'], ReasonText>>,
  de: {
    required: 'Diese Angabe fehlt.',
    empty: 'Darf nicht leer sein.',
    'not-one-line': 'Muss eine Zeile sein, ohne Steuerzeichen.',
    'too-long': 'Darf höchstens {max} Zeichen haben.',
    'too-long-with-first-name': 'Darf zusammen mit dem Vornamen höchstens {max} Zeichen haben.',
    'too-many-bytes': 'Darf in UTF-8 höchstens {max} Bytes haben.',
    'too-many-elements': 'Darf höchstens {max} Einträge haben.',
    'too-short': 'Muss mindestens {min} Zeichen haben.',
    'not-in-list': 'Muss eines von diesen sein: {values}.',
    'not-an-integer': 'Muss eine ganze Zahl sein.',
    'integer-out-of-range': 'Muss eine ganze Zahl von {min} bis {max} sein.',
    'integer-too-small': 'Muss eine ganze Zahl ab {min} sein.',
    'number-out-of-range': 'Muss eine Zahl von {min} bis {max} sein.',
    'number-not-below': 'Muss eine Zahl ab {min} und kleiner als {max} sein.',
    'null-character': 'Darf das Zeichen U+0000 nicht enthalten.',
    'half-character': 'Enthält ein halbes Zeichen: Gib den Text noch einmal ein.',
    'angle-bracket': 'Darf weder < noch > enthalten.',
    'text-direction': 'Darf keine Zeichen enthalten, die die Schreibrichtung ändern.',
    'web-address': 'Darf keine Webadresse enthalten: Setze nach jedem Punkt ein Leerzeichen.',
    'not-an-email-address': 'Muss eine E-Mail-Adresse sein, etwa name@example.com.',
    'not-a-single-character': 'Muss ein einzelnes Zeichen sein.',
    'not-a-function-name':
      'Muss ein Funktionsname sein: Buchstaben, Ziffern und Unterstriche, keine Ziffer am Anfang, höchstens 64 Zeichen.',
    'not-unique': 'Darf nur einmal vorkommen.',
    'same-user': 'Muss ein anderer Benutzer sein.',
    'unknown-model': 'Ein Modell mit dem Namen {model} gibt es nicht. Bekannt sind: {models}.',
    'not-a-date': 'Muss ein Datum sein, etwa 2030-01-31.',
    'not-in-the-future': 'Muss in der Zukunft liegen.',
    'no-event-type': 'Wähle mindestens ein Ereignis.',
    'not-https': 'Muss mit https:// beginnen.',
    'no-host': 'Muss einen Rechner nennen.',
    'url-characters': 'Darf keine Leerzeichen, Steuerzeichen und umgekehrten Schrägstriche haben.',
    'url-credentials': 'Darf weder Benutzernamen noch Passwort haben.',
    'url-fragment': 'Darf keinen Teil mit # haben.',
    'url-host-or-port': 'Rechner oder Port sind nicht gültig.',
    'url-host-name': 'Der Name des Rechners ist nicht gültig.',
    'url-too-long': 'Darf höchstens {max} Zeichen haben, auch in der technischen Schreibweise.',
    'address-not-public': '{address} ist keine öffentliche Adresse.',
    'address-of-machine': '{address} ist eine Adresse dieser Maschine.',
    'address-of-engine': '{address} ist eine Adresse von Alcove selbst.',
    'address-denied': '{address} ist eine Adresse, die der Betreiber sperrt.',
    'address-malformed': '{address} ist keine IP-Adresse.',
    'name-not-public': 'Der Name {name} führt zu einer Adresse, die nicht öffentlich ist.',
    'name-of-machine': 'Der Name {name} führt zu einer Adresse dieser Maschine.',
    'name-of-engine': 'Der Name {name} führt zu einer Adresse von Alcove selbst.',
    'name-denied': 'Der Name {name} führt zu einer Adresse, die der Betreiber sperrt.',
    'name-malformed': 'Der Name {name} führt zu etwas, das keine IP-Adresse ist.',
    'name-with-too-many-addresses': 'Der Name {name} hat mehr als {max} Adressen.',
    'name-unresolved': 'Der Name {name} lässt sich nicht auflösen ({system}).',
    'name-unresolved-in-time': 'Der Name {name} ließ sich in {seconds} s nicht auflösen.',
    'name-not-resolved-to-public':
      'Der Name führt nicht zu öffentlichen Adressen. Nimm einen Namen, der überall im Internet bekannt ist.',
    'local-name': '{name} ist ein Name in einem lokalen Netz, das Alcove nicht anspricht.',
    'name-without-host': '{name} ist kein Name eines Rechners im Internet.',
    'refused-port': 'Den Port {port} spricht Alcove nicht an.',
    answered: 'Der Empfänger hat mit {status} geantwortet.',
    'answered-redirect': 'Der Empfänger hat mit {status} geantwortet. Weiterleitungen folgt Alcove nicht.',
    'answered-gone': 'Der Empfänger hat mit {status} geantwortet: Die URL gibt es nicht mehr.',
    'no-answer-in-time': 'Innerhalb von {seconds} s kam keine Antwort.',
    'connection-refused': 'Die Verbindung wurde abgelehnt ({system}).',
    'connection-closed': 'Die Verbindung wurde geschlossen, bevor eine Antwort kam ({system}).',
    'connection-ended': 'Die Verbindung endete ohne Antwort.',
    'address-unreachable': 'Die Adresse ist nicht erreichbar ({system}).',
    'address-silent': 'Die Adresse hat nicht geantwortet ({system}).',
    'certificate-expired': 'Das Zertifikat ist abgelaufen ({system}).',
    'certificate-of-other-name': 'Das Zertifikat gilt für einen anderen Namen ({system}).',
    'certificate-not-trusted': 'Dem Zertifikat wird nicht vertraut ({system}).',
    'no-tls-connection': 'Es kam keine TLS-Verbindung zustande ({system}).',
    'headers-too-large': 'Die Kopfzeilen der Antwort sind zu groß ({system}).',
    'response-too-large': 'Es kamen zu viele Bytes ohne vollständige Antwort ({system}).',
    'response-not-final': 'Die Antwort hat keinen endgültigen Status ({system}).',
    'response-not-http': 'Die Antwort ist nicht von HTTP ({system}).',
    'request-impossible': 'Die Anfrage ließ sich nicht stellen ({system}).',
    'request-failed': 'Die Anfrage ist fehlgeschlagen ({system}).',
    'destination-deleted': 'Das Ziel wurde gelöscht.',
    'destination-not-usable': 'Das Ziel ist gelöscht oder deaktiviert, oder seine Firma ist deaktiviert.',
    'event-private':
      'Das Ereignis nennt ein Dokument eines privaten GPTs, und wer die URL des Ziels gesetzt hat, sieht nicht alle GPTs.',
    'event-damaged': 'Der gespeicherte Inhalt des Ereignisses {event} ist beschädigt.',
    'internal-failure': 'Alcove selbst hat einen Fehler gemacht.',
    'encoding-unsure':
      'Die Zeichenkodierung ist nicht sicher: Der Text wurde als {name} gelesen. Ist das falsch, speichere ihn als UTF-8.',
    'characters-undecodable': [
      'Ein Zeichen war nicht lesbar und ist jetzt ein Ersatzzeichen.',
      '{count} Zeichen waren nicht lesbar und sind jetzt Ersatzzeichen.',
    ],
    'zero-characters': [
      'Ein Nullzeichen ist jetzt ein Ersatzzeichen.',
      '{count} Nullzeichen sind jetzt Ersatzzeichen.',
    ],
    'mail-characters-undecodable': 'Einige Zeichen der E-Mail waren nicht lesbar und sind jetzt Ersatzzeichen.',
    'lines-not-json': [
      'Eine Zeile ist kein gültiges JSON: Ihr Text bleibt, wie er ist.',
      '{count} Zeilen sind kein gültiges JSON: Ihr Text bleibt, wie er ist.',
    ],
    'lines-not-rows': [
      'Eine Zeile passt nicht in die Tabelle: Ihr Text bleibt, wie er ist.',
      '{count} Zeilen passen nicht in die Tabelle: Ihr Text bleibt, wie er ist.',
    ],
    'column-names-too-long': 'Die Namen der Spalten sind zu lang, um sie in jeder Zeile zu wiederholen.',
    'document-incomplete': 'Das Dokument ist unvollständig: Ein Teil seines Textes fehlt.',
    'formatting-damaged':
      'Die Formatierung des Dokuments ist beschädigt: Gelöschter Text kann dabei sein, und Tabellen stehen nicht in Zeilen.',
    'embedded-text-left-out': 'Eingebetteter Text in einem anderen Format fehlt.',
    'attachments-not-read': ['Ein Anhang ist nicht gelesen.', '{count} Anhänge sind nicht gelesen.'],
    'hidden-sheets': ['Ein verborgenes Tabellenblatt fehlt.', '{count} verborgene Tabellenblätter fehlen.'],
    'hidden-slides': ['Eine verborgene Folie fehlt.', '{count} verborgene Folien fehlen.'],
    'cells-missing': [
      'Im Tabellenblatt „{sheet}“ fehlt der Text von einer Zelle.',
      'Im Tabellenblatt „{sheet}“ fehlen die Texte von {count} Zellen.',
    ],
    'cells-may-be-missing': 'Einige Zellen können fehlen oder anders formatiert sein ({part}).',
    'sheets-may-be-missing': 'Einige Tabellenblätter können fehlen ({part}).',
    'slides-may-be-missing': 'Einige Folien können fehlen ({part}).',
    'text-may-be-missing': 'Ein Teil des Textes kann fehlen ({part}).',
    'pages-may-be-lost': [
      'Die Datei ist beschädigt: Eine Seite wurde gefunden, andere können fehlen.',
      'Die Datei ist beschädigt: {count} Seiten wurden gefunden, andere können fehlen.',
    ],
    'page-damaged': 'Seite {page} ist beschädigt und fehlt.',
    'page-without-text': 'Seite {page} hat keinen Text.',
    'page-garbled': 'Seite {page} hat Zeichen ohne Bedeutung: Ihre Schriften haben keine Zuordnung zu Unicode.',
    'page-picture': 'Seite {page} ist ein Bild mit wenigen Buchstaben: Text in Bildern wird nicht gelesen.',
    'more-warnings': '… und {count} weitere.',
    'language-unknown-to-model':
      'Der Text ist {language}. Das kennt das Modell {model} nicht: Er wird nur über Wörter gefunden.',
  },
})

/** Fills in the parameters. A parameter in brackets of its own, such as `({system})`, may be missing. */
export function reasonText(text: ReasonText, parameters: Reason['parameters']): string {
  const given = typeof text === 'string' ? text : text[parameters['count'] === 1 ? 0 : 1]
  return given
    .replaceAll(/ \(\{(\w+)\}\)/g, (group, name: string) => (parameters[name] === undefined ? '' : group))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name] ?? ''))
}

/** The parameters with the name of a language in the place of its code. */
export function withNames(parameters: Reason['parameters'], language: Language): Reason['parameters'] {
  const { language: code } = parameters
  return typeof code === 'string' ? { ...parameters, language: nameOfLanguage(code, language) } : parameters
}

/** @returns a sentence, with `lang` if it is in another language than the page */
export type SayReason = (
  reason: Reason | null | undefined,
  message: string,
) => { readonly text: string; readonly lang?: 'en' }

/** A function that says a reason in the language of the user. It says the message for a code that it does not know. */
export function useReason(): SayReason {
  const texts: Readonly<Record<string, ReasonText>> = useTexts(REASON_TEXTS)
  const { language } = useLanguage()
  return (reason, message) => {
    const text = reason == null ? undefined : phraseOf(texts, reason.code)
    if (reason != null && text !== undefined) return { text: reasonText(text, withNames(reason.parameters, language)) }
    return { text: sentence(message), ...(language !== 'en' && { lang: 'en' }) }
  }
}

import { phraseOf, phrases, useTexts } from '../texts/phrases.js'
import type { Schema } from './api.js'

type Reason = Schema<'ErrorReason'>

/** The reasons of the server by their codes. Braces hold names of parameters; a group ` ({name})` may have none. */
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
  } satisfies Readonly<Record<Reason['code'], string>>,
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
  },
})

/** @param given a sentence of {@link REASON_TEXTS} */
export function fillIn(given: string, parameters: Reason['parameters']): string {
  const filled = (_: string, name: string): string => String(parameters[name] ?? '')
  return given
    .replaceAll(/ \(\{(\w+)\}\)/g, (group, name: string) => (parameters[name] === undefined ? '' : group))
    .replaceAll(/\{(\w+)\}/g, filled)
}

/** A function that says a reason of the server in the language of the user; undefined for one that it does not know. */
export function useReasonText(): (reason: Reason | null | undefined) => string | undefined {
  const texts = useTexts(REASON_TEXTS)
  return (reason) => {
    if (reason == null) return undefined
    // A newer server may have further codes.
    const text = phraseOf(texts, reason.code)
    return text && fillIn(text, reason.parameters)
  }
}

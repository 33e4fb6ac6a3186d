import { type GermanSentences, patternsOf } from './german-sentences.js'

/** The server's sentences about the value of a field. */
export const FIELD_SENTENCES: GermanSentences = patternsOf({
  'is required': 'Diese Angabe fehlt.',
  'must not be empty': 'Darf nicht leer sein.',
  'must be one line, without control characters': 'Muss eine Zeile sein, ohne Steuerzeichen.',
  'must have at most (\\d+) characters': 'Darf höchstens $1 Zeichen haben.',
  'must have at least (\\d+) characters': 'Muss mindestens $1 Zeichen haben.',
  'must have at most (\\d+) characters together with the first name, or come with a shorter name':
    'Darf zusammen mit dem Vornamen höchstens $1 Zeichen haben.',
  'must have at most (\\d+) bytes in UTF-8': 'Darf in UTF-8 höchstens $1 Bytes haben.',
  'must have at most (\\d+) elements': 'Darf höchstens $1 Einträge haben.',
  'must be an integer from (\\S+) to (\\S+)': 'Muss eine ganze Zahl von $1 bis $2 sein.',
  'must be an integer, (\\S+) or more': 'Muss eine ganze Zahl ab $1 sein.',
  'must be a number from (\\S+) to (\\S+)': 'Muss eine Zahl von $1 bis $2 sein.',
  'must be a number at least (\\S+) and less than (\\S+)': 'Muss eine Zahl ab $1 und kleiner als $2 sein.',
  'must be one of (.+)': 'Muss eines von diesen sein: $1.',
  'must not contain the character U\\+0000': 'Darf das Zeichen U+0000 nicht enthalten.',
  'must be well-formed Unicode: .+': 'Enthält ein halbes Zeichen: Gib den Text noch einmal ein.',
  'must not contain < or >': 'Darf weder < noch > enthalten.',
  'must not contain characters that change the direction of text':
    'Darf keine Zeichen enthalten, die die Schreibrichtung ändern.',
  'must be a name, without web addresses: .+':
    'Darf keine Webadresse enthalten: Setze nach jedem Punkt ein Leerzeichen.',
  'must be an e-mail address such as (\\S+)': 'Muss eine E-Mail-Adresse sein, etwa $1.',
  'must be a single character': 'Muss ein einzelnes Zeichen sein.',
  'must be a function name: .+':
    'Muss ein Funktionsname sein: Buchstaben, Ziffern und Unterstriche, keine Ziffer am Anfang, höchstens 64 Zeichen.',
  'must be unique; .+': 'Darf nur einmal vorkommen.',
  'must be another user': 'Muss ein anderer Benutzer sein.',
  'no model named (.*); known: (.+)': 'Ein Modell mit dem Namen $1 gibt es nicht. Bekannt sind: $2.',
  'must be a date such as .+': 'Muss ein Datum sein, etwa 2030-01-31.',
  'must lie in the future': 'Muss in der Zukunft liegen.',
})

import { type GermanSentences, patternsOf } from '../../api/german-sentences.js'

/** The sentences of receipts about parts that could not be read. */
export const WARNING_SENTENCES: GermanSentences = patternsOf({
  'the encoding is not certain: the text was read as (\\S+); if that is wrong, save it as UTF-8':
    'Die Zeichenkodierung ist nicht sicher: Der Text wurde als $1 gelesen. Ist das falsch, speichere ihn als UTF-8.',
  '1 character could not be decoded and became U\\+\\w{4}':
    'Ein Zeichen war nicht lesbar und ist jetzt ein Ersatzzeichen.',
  '(\\d+) characters could not be decoded and became U\\+\\w{4}':
    '$1 Zeichen waren nicht lesbar und sind jetzt Ersatzzeichen.',
  '1 zero character became U\\+\\w{4}': 'Ein Nullzeichen ist jetzt ein Ersatzzeichen.',
  '(\\d+) zero characters became U\\+\\w{4}': '$1 Nullzeichen sind jetzt Ersatzzeichen.',
  'some characters of the mail could not be decoded and became U\\+\\w{4}':
    'Einige Zeichen der E-Mail waren nicht lesbar und sind jetzt Ersatzzeichen.',
  'the column names are too long to repeat them in every row':
    'Die Namen der Spalten sind zu lang, um sie in jeder Zeile zu wiederholen.',
  '1 line is not a row of the table .+': 'Eine Zeile passt nicht in die Tabelle: Ihr Text bleibt, wie er ist.',
  '(\\d+) lines are not rows of the table .+': '$1 Zeilen passen nicht in die Tabelle: Ihr Text bleibt, wie er ist.',
  'the formatting of the document is damaged: .+':
    'Die Formatierung des Dokuments ist beschädigt: Gelöschter Text kann dabei sein, und Tabellen stehen nicht in Zeilen.',
  'text of another format that is embedded in the document is left out':
    'Eingebetteter Text in einem anderen Format fehlt.',
  '1 hidden sheet is left out': 'Ein verborgenes Tabellenblatt fehlt.',
  '(\\d+) hidden sheets are left out': '$1 verborgene Tabellenblätter fehlen.',
  '1 hidden slide is left out': 'Eine verborgene Folie fehlt.',
  '(\\d+) hidden slides are left out': '$1 verborgene Folien fehlen.',
  'the texts of (\\d+) cells of the sheet "(.+)" are missing': 'Im Tabellenblatt „$2“ fehlen die Texte von $1 Zellen.',
  'the file is damaged: 1 page was found, others may be lost':
    'Die Datei ist beschädigt: Eine Seite wurde gefunden, andere können fehlen.',
  'the file is damaged: (\\d+) pages were found, others may be lost':
    'Die Datei ist beschädigt: $1 Seiten wurden gefunden, andere können fehlen.',
  'page (\\d+) is damaged and left out': 'Seite $1 ist beschädigt und fehlt.',
  '(.+): some of its text may be missing': 'Ein Teil des Textes kann fehlen ($1).',
  '(.+): some sheets may be missing': 'Einige Tabellenblätter können fehlen ($1).',
  '(.+): some slides may be missing': 'Einige Folien können fehlen ($1).',
  '(.+): some cells may be missing or have another format':
    'Einige Zellen können fehlen oder anders formatiert sein ($1).',
})

// cspell:disable
/** The purpose of the text of a group. */
export type Destination =
  | 'text'
  | 'skip'
  | 'fonts'
  | 'styles'
  | 'title'
  | 'info'
  | 'label'
  | 'unicode'
  | 'footnote'
  | 'comment'
  | 'box'
  | 'header'
  | 'footer'

const SKIPPED =
  'colortbl filetbl listtable listoverridetable revtbl rsidtbl fldinst pict objdata objclass objname sp shprslt nonshppict datafield xe tc tcn rxe txe nonesttables mmathPict pntxta pntxtb pnseclvl template comment buptim creatim revtim printim upr author operator subject keywords doccomm company manager category hlinkbase atrfstart atrfend bkmkstart bkmkend ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn'

/** The words that begin a group with a text of its own. */
const DESTINATIONS: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ...SKIPPED.split(' ').map((word) => [word, 'skip'] as const),
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['info', 'info'],
  ['title', 'title'],
  ['listtext', 'label'],
  ['pntext', 'label'],
  ['ud', 'unicode'],
  ['footnote', 'footnote'],
  ['annotation', 'comment'],
  ['shptxt', 'box'],
  ['dptxbxtext', 'box'],
  ...'header headerl headerr headerf'.split(' ').map((word) => [word, 'header'] as const),
  ...'footer footerl footerr footerf'.split(' ').map((word) => [word, 'footer'] as const),
])
/** Groups that programs without knowledge of them skip, and whose text this reader takes. */
const KNOWN_OPTIONAL = new Set(
  'shpinst do nesttableprops moMathPara moMath fldrslt mmath shppict shptxt ud annotation listtext pntext footnote'.split(
    ' ',
  ),
)

/**
 * The destination that a word at the beginning of a group names.
 * @param isOptional true if a program that does not know the word skips the group
 * @returns `undefined` if the word names none
 */
export function destinationOf(word: string, isOptional: boolean): Destination | undefined {
  // The properties of the parts of a formula.
  if (/^m\w+Pr$/.test(word)) return 'skip'
  const known = DESTINATIONS.get(word)
  return known ?? (isOptional && !KNOWN_OPTIONAL.has(word) ? 'skip' : undefined)
}

/** Control words that write a text. */
export const WRITTEN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tab: '\t',
    line: '\n',
    emdash: '—',
    endash: '–',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
    emspace: '\u2003',
    enspace: '\u2002',
    qmspace: '\u2005',
    zwj: '\u200D',
    zwnj: '\u200C',
    '~': '\u00A0',
    _: '-',
    '{': '{',
    '}': '}',
    '\\': '\\',
  }),
)

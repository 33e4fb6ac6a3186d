import type { Language } from './letter-frequencies.js'

/** An encoding of texts, and the languages that use it. */
export interface Candidate {
  readonly name: string
  /** The improbability of the encoding before a text is read, in bits. */
  readonly rarityBits: number
  readonly languages: readonly Language[]
  /** For encodings with two bytes a character: the everyday characters, as ranges of bytes. */
  readonly everyday?: EverydayBytes
}

/** The rows of a character table that contain the characters in daily use. */
export interface EverydayBytes {
  readonly script: 'chinese' | 'japanese' | 'korean'
  readonly leads: readonly [first: number, last: number]
  readonly trails: readonly [first: number, last: number]
}

const WESTERN: readonly Language[] = [
  'albanian',
  'catalan',
  'danish',
  'dutch',
  'finnish',
  'french',
  'german',
  'icelandic',
  'irish',
  'italian',
  'portuguese',
  'spanish',
  'swedish',
]
const CENTRAL: readonly Language[] = ['croatian', 'czech', 'german', 'hungarian', 'polish', 'romanian', 'slovak']
const BALTIC: readonly Language[] = ['estonian', 'latvian', 'lithuanian']
const CYRILLIC: readonly Language[] = ['belarusian', 'bulgarian', 'macedonian', 'russian', 'serbian', 'ukrainian']
const RUSSIAN: readonly Language[] = ['bulgarian', 'russian']

const GREEK: readonly Language[] = ['greek']
const HEBREW: readonly Language[] = ['hebrew']
const TURKISH: readonly Language[] = ['turkish']

function single(name: string, rarityBits: number, languages: readonly Language[]): Candidate {
  return { name, rarityBits, languages }
}

function double(
  name: string,
  rarityBits: number,
  script: EverydayBytes['script'],
  leads: EverydayBytes['leads'],
  trails: EverydayBytes['trails'] = [0xa1, 0xfe],
): Candidate {
  return { name, rarityBits, languages: [], everyday: { script, leads, trails } }
}

const EUC_KR = double('euc-kr', 5, 'korean', [0xb0, 0xc8])

export const CANDIDATES: readonly Candidate[] = [
  single('windows-1252', 0, WESTERN),
  single('iso-8859-15', 4, ['estonian', 'finnish', 'french']),
  single('macintosh', 6, WESTERN),
  single('cp850', 7, WESTERN),
  single('cp437', 9, WESTERN),
  single('windows-1250', 3, CENTRAL),
  single('iso-8859-2', 3, CENTRAL),
  single('cp852', 8, CENTRAL),
  single('maccenteuro', 9, CENTRAL),
  single('iso-8859-16', 9, ['romanian']),
  single('windows-1251', 3, CYRILLIC),
  single('koi8-r', 4, RUSSIAN),
  single('koi8-u', 5, ['ukrainian']),
  single('iso-8859-5', 5, CYRILLIC),
  single('cp866', 6, RUSSIAN),
  single('x-mac-cyrillic', 6, RUSSIAN),
  single('cp855', 8, RUSSIAN),
  single('windows-1253', 4, GREEK),
  single('iso-8859-7', 5, GREEK),
  single('windows-1254', 4, TURKISH),
  single('windows-1255', 4, HEBREW),
  single('iso-8859-8', 6, HEBREW),
  single('windows-1256', 4, ['arabic', 'persian']),
  single('iso-8859-6', 6, ['arabic']),
  single('windows-1257', 6, BALTIC),
  single('iso-8859-13', 8, BALTIC),
  single('iso-8859-4', 8, BALTIC),
  single('windows-1258', 8, ['vietnamese']),
  single('windows-874', 3, ['thai']),
  single('iso-8859-3', 10, ['esperanto', 'maltese']),
  single('iso-8859-14', 10, ['welsh']),
  double('gb18030', 5, 'chinese', [0xb0, 0xd7]),
  double('big5', 6, 'chinese', [0xa4, 0xc6], [0x40, 0xfe]),
  double('shift_jis', 5, 'japanese', [0x88, 0x97], [0x40, 0xfc]),
  double('euc-jp', 6, 'japanese', [0xb0, 0xcf]),
  EUC_KR,
  { ...EUC_KR, name: 'johab', rarityBits: 9 },
]

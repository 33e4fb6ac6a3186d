import { readDecoded } from './read-independently.js'

/** Labels that are wrong: what the files really are. */
const CORRECTED: readonly (readonly [RegExp, string])[] = [
  [/(Croatian|Polish|Romanian|Slovak|Slovenian)\w*-Latin2/, 'windows-1250'],
  [/Mongolian\w*-Cyrillic/, 'iso-8859-5'],
  [/Lithuanian\w*-Baltic/, 'iso-8859-4'],
]
/** Encodings that the endings of names stand for, in the collections that have them there. */
const BY_ENDING: readonly (readonly [RegExp, string])[] = [
  [/-UTF8\.txt/, 'utf-8'],
  [/-Latin1\.txt|win-1252\.txt/, 'windows-1252'],
  [/-Latin2\.txt/, 'iso-8859-2'],
  [/-Arabic\.txt/, 'windows-1256'],
  [/-Cyrillic\.txt/, 'windows-1251'],
  [/-Hebrew\.txt/, 'windows-1255'],
  [/-Turkish\.txt/, 'windows-1254'],
  [/-GB2312\.txt/, 'gb18030'],
  [/cp866\.txt/, 'ibm866'],
  [/cp500\.txt/, 'cp500'],
  [/_1905|_1853|_1855|novels|blns/, 'utf-8'],
]
/** Names by Node's decoder, or Python's, for those of a collection. */
const NAMES: Readonly<Record<string, string>> = {
  ascii: 'windows-1252',
  cp932: 'shift_jis',
  ibm855: 'cp855',
  johab: 'johab',
  maccyrillic: 'x-mac-cyrillic',
  macroman: 'macintosh',
  'tis-620': 'windows-874',
  'utf-32': 'utf_32',
  'utf-8-sig': 'utf-8',
}

/** The encoding that a text of the shared data is in; `undefined` where nobody says. */
export function encodingOf(file: string): string | undefined {
  const match = [...CORRECTED, ...BY_ENDING].find(([name]) => name.test(file))
  if (match !== undefined) return match[1]
  const label = /\/([^/]+?)__/.exec(file)?.[1]?.toLowerCase()
  if (label === undefined) return undefined
  // Languages follow the encoding: windows-1250-hungarian.
  const encoding = label.replace(/-[a-z]{5,}$/, '')
  return NAMES[encoding] ?? encoding
}

/** A text in its encoding; `undefined` where nothing here decodes that. */
export function decoded(bytes: Buffer, path: string, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return readDecoded(path, encoding)
  }
}

/** Only what is read: letters, marks and digits, as they follow each other. */
export function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
}

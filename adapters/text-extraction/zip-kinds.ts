import { ExtractionError } from '../../src/ports/index.js'
import { wrongType } from './wrong-type.js'

/** The zips that the extractor reads. */
export type ReadableZip = 'word' | 'excel' | 'powerpoint' | 'epub' | `odf-${'text' | 'spreadsheet' | 'presentation'}`

/** A kind of file that is a zip. */
export interface ZipKind {
  /** Only for a kind that the extractor reads. */
  readonly kind?: ReadableZip
  /** A name for people, with its article. */
  readonly name: string
  /** The extension under which the extractor reads it. */
  readonly readAs?: string
  /** Matches its media type, if the first bytes show one. */
  readonly type?: RegExp
  /** Matches its list of contents or its label. Embedded files of other kinds add their own labels there. */
  readonly label: RegExp
  /** Matches the name of a part that only this kind has. */
  readonly part: RegExp
  /** The folder of its parts, which shows the kind in the first bytes. */
  readonly folder?: string
}

function openDocument(kind: 'text' | 'spreadsheet' | 'presentation', name: string, readAs: string): ZipKind {
  const type = new RegExp(`opendocument\\.${kind}`)
  // A part tells an OpenDocument file of some kind only.
  return { kind: `odf-${kind}`, name, readAs, type, label: type, part: /^$/ }
}

const WORD_ZIP: ZipKind = {
  kind: 'word',
  name: 'a Word document',
  readAs: '.docx',
  type: /wordprocessingml|ms-word\./,
  label: /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled/i,
  part: /^\/?word\//i,
  folder: 'word/',
}
const OTHER_OPEN_DOCUMENT: ZipKind = {
  name: 'an OpenDocument file of another kind',
  type: /opendocument/,
  label: /opendocument/i,
  part: /^META-INF\/manifest\.xml$/,
}
const OTHER_ZIPS: readonly ZipKind[] = [
  {
    kind: 'excel',
    name: 'an Excel workbook',
    readAs: '.xlsx',
    type: /spreadsheetml|ms-excel/,
    label: /spreadsheetml\.(?:sheet|template)\.main|ms-excel\./i,
    part: /^\/?xl\//i,
    folder: 'xl/',
  },
  {
    kind: 'powerpoint',
    name: 'a PowerPoint presentation',
    readAs: '.pptx',
    type: /presentationml|ms-powerpoint/,
    label: /presentationml\.\w+\.main|ms-powerpoint\./i,
    part: /^\/?ppt\//i,
    folder: 'ppt/',
  },
  { name: 'a Visio drawing', label: /ms-visio\.\w+\.main/i, part: /^visio\//i },
  openDocument('text', 'an OpenDocument text', '.odt'),
  openDocument('spreadsheet', 'an OpenDocument spreadsheet', '.ods'),
  openDocument('presentation', 'an OpenDocument presentation', '.odp'),
  OTHER_OPEN_DOCUMENT,
  {
    kind: 'epub',
    name: 'an e-book (EPUB)',
    readAs: '.epub',
    type: /epub/,
    label: /epub/i,
    part: /^META-INF\/container\.xml$/i,
  },
  { name: 'a Java archive', label: /java-archive/i, part: /^META-INF\/MANIFEST\.MF$/ },
  {
    name: 'a Pages, Numbers or Keynote file',
    label: /iwork/i,
    part: /^Index\/.*\.iwa$|^Index\.zip$/,
  },
]
export const ZIPS: readonly ZipKind[] = [WORD_ZIP, ...OTHER_ZIPS]

/** The kind of a zip if its media type is certain. */
export function zipKindOfType(type: string): ZipKind | undefined {
  return ZIPS.find((kind) => kind.type?.test(type))
}

/** The kind of a zip by all of its names and labels. A Word document remains one with any embedded file. */
function zipKindOf(names: readonly string[], labels: readonly string[]): ZipKind | undefined {
  const label = labels.join('\n')
  const hasPart = ({ part }: ZipKind): boolean => names.some((name) => part.test(name))
  if (WORD_ZIP.label.test(label) || hasPart(WORD_ZIP)) return WORD_ZIP
  return OTHER_ZIPS.find((kind) => kind.label.test(label)) ?? OTHER_ZIPS.find(hasPart)
}

/**
 * Checks that a zip is of the kind that its name says, by all of its names and labels.
 *
 * @param labels the texts of `[Content_Types].xml` and `mimetype`, if the zip has them
 * @throws ExtractionError `ERR_WRONG_TYPE`, `ERR_UNSUPPORTED_FORMAT`
 */
export function checkZipKind(
  extension: string,
  expected: ReadableZip,
  names: readonly string[],
  labels: readonly string[],
): void {
  const actual = zipKindOf(names, labels)
  if (actual?.kind === expected) return
  // Some programs leave out the label: the reader reads what the file has.
  if (expected.startsWith('odf-') && actual === OTHER_OPEN_DOCUMENT && labels.length === 0) return
  if (actual?.readAs !== undefined) throw wrongType(actual.name, extension, actual.readAs)
  const name = ZIPS.find(({ kind }) => kind === expected)?.name ?? ''
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${actual?.name ?? 'a zip archive'}, not ${name}: save its text as .docx, .pdf, .csv or .txt`,
  )
}

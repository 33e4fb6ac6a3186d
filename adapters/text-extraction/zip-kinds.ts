/** A kind of file that is a zip. */
interface ZipKind {
  /** A name for people, with its article. */
  readonly name: string
  /** Matches its media type, if the first bytes show one. */
  readonly type?: RegExp
  /** Matches its list of contents or its label. Embedded files of other kinds add their own labels there. */
  readonly label: RegExp
  /** Matches the name of a part that only this kind has. */
  readonly part: RegExp
}

const WORD_ZIP: ZipKind = {
  name: 'a Word document',
  type: /wordprocessingml|ms-word\./,
  label: /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled/i,
  part: /^\/?word\//i,
}
const OTHER_ZIPS: readonly ZipKind[] = [
  {
    name: 'an Excel workbook',
    type: /spreadsheetml|ms-excel/,
    label: /spreadsheetml\.(?:sheet|template)\.main|ms-excel\./i,
    part: /^xl\//i,
  },
  {
    name: 'a PowerPoint presentation',
    type: /presentationml|ms-powerpoint/,
    label: /presentationml\.\w+\.main|ms-powerpoint\./i,
    part: /^ppt\//i,
  },
  { name: 'a Visio drawing', label: /ms-visio\.\w+\.main/i, part: /^visio\//i },
  {
    name: 'an OpenDocument file',
    type: /opendocument/,
    label: /opendocument/i,
    part: /^META-INF\/manifest\.xml$/,
  },
  { name: 'an e-book (EPUB)', type: /epub/, label: /epub/i, part: /^META-INF\/container\.xml$/ },
  { name: 'a Java archive', label: /java-archive/i, part: /^META-INF\/MANIFEST\.MF$/ },
  {
    name: 'a Pages, Numbers or Keynote file',
    label: /iwork/i,
    part: /^Index\/.*\.iwa$|^Index\.zip$/,
  },
]

/** The kind of a zip if its media type is certain. */
export function zipKindOfType(type: string): { readonly name: string; readonly isWord: boolean } | undefined {
  return toKind([WORD_ZIP, ...OTHER_ZIPS].find((kind) => kind.type?.test(type)))
}

/**
 * The kind of a zip by all of its names and labels. A Word document remains one, whatever it embeds.
 * @param labels the texts of `[Content_Types].xml` and `mimetype`, if the zip has them
 */
export function zipKindOf(
  names: readonly string[],
  labels: Iterable<string>,
): { readonly name: string; readonly isWord: boolean } | undefined {
  const label = [...labels].join('\n')
  const hasPart = ({ part }: ZipKind): boolean => names.some((name) => part.test(name))
  if (WORD_ZIP.label.test(label) || hasPart(WORD_ZIP)) return toKind(WORD_ZIP)
  return toKind(OTHER_ZIPS.find((kind) => kind.label.test(label)) ?? OTHER_ZIPS.find(hasPart))
}

function toKind(kind: ZipKind | undefined): { readonly name: string; readonly isWord: boolean } | undefined {
  return kind && { name: kind.name, isWord: kind === WORD_ZIP }
}

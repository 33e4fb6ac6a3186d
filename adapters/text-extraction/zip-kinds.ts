/** Something that comes in a zip. */
interface ZipKind {
  /** For people, with its article. */
  readonly name: string
  /** What its media type has, where its first bytes tell one. */
  readonly type?: RegExp
  /** What its list of contents or its label has; other kinds that are embedded have their own there, too. */
  readonly label: RegExp
  /** Name of a part that the others do not have. */
  readonly part: RegExp
}

const WORD: ZipKind = {
  name: 'a Word document',
  type: /wordprocessingml|ms-word\./,
  label: /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled/i,
  part: /^\/?word\//i,
}
const OTHERS: readonly ZipKind[] = [
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

/** What a media type says of a zip beyond doubt. */
export function zipKindOfType(type: string): { readonly name: string; readonly isWord: boolean } | undefined {
  return toKind([WORD, ...OTHERS].find((kind) => kind.type?.test(type)))
}

/**
 * What all of a zip says; a Word document is one whatever is embedded in it.
 * @param labels the texts of `[Content_Types].xml` and `mimetype`, where they are
 */
export function zipKindOf(
  names: readonly string[],
  labels: Iterable<string>,
): { readonly name: string; readonly isWord: boolean } | undefined {
  const label = [...labels].join('\n')
  const hasPart = ({ part }: ZipKind): boolean => names.some((name) => part.test(name))
  if (WORD.label.test(label) || hasPart(WORD)) return toKind(WORD)
  return toKind(OTHERS.find((kind) => kind.label.test(label)) ?? OTHERS.find(hasPart))
}

function toKind(kind: ZipKind | undefined): { readonly name: string; readonly isWord: boolean } | undefined {
  return kind && { name: kind.name, isWord: kind === WORD }
}

import { ExtractionError } from '../../../../src/ports/index.js'

const WORD = /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled/i
const WORD_PART = /^\/?word\//i

/** Other things that come in a zip, by their list of contents, by their label and by the name of a part. */
const OTHERS: readonly { readonly name: string; readonly label: RegExp; readonly part: RegExp }[] = [
  { name: 'an Excel workbook', label: /spreadsheetml\.(?:sheet|template)\.main|ms-excel\./i, part: /^xl\//i },
  { name: 'a PowerPoint presentation', label: /presentationml\.\w+\.main|ms-powerpoint\./i, part: /^ppt\//i },
  { name: 'a Visio drawing', label: /ms-visio\.\w+\.main/i, part: /^visio\//i },
  { name: 'an OpenDocument file', label: /opendocument/i, part: /^META-INF\/manifest\.xml$/ },
  { name: 'an e-book (EPUB)', label: /epub/i, part: /^META-INF\/container\.xml$/ },
  { name: 'a Java archive', label: /java-archive/i, part: /^META-INF\/MANIFEST\.MF$/ },
  { name: 'a Pages, Numbers or Keynote file', label: /iwork/i, part: /^Index\/.*\.iwa$|^Index\.zip$/ },
]

/**
 * Refuses a zip that holds something else than a Word document.
 * @param labels the texts of `[Content_Types].xml` and `mimetype`, where they are
 * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`
 */
export function checkDocumentKind(names: readonly string[], labels: ReadonlyMap<string, string>): void {
  const label = [...labels.values()].join('\n')
  if (WORD.test(label) || names.some((name) => WORD_PART.test(name))) return
  const other =
    OTHERS.find((one) => one.label.test(label)) ?? OTHERS.find(({ part }) => names.some((name) => part.test(name)))
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${other?.name ?? 'a zip archive'}, and no Word document: save its text as .docx, .pdf, .csv or .txt`,
  )
}

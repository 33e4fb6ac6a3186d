import { basename } from 'node:path'

/** The allowed outcomes, beside `completed`, of a document that was made to be hard to read. */
const ANY_REFUSAL = [
  'ERR_CORRUPT_FILE',
  'ERR_EMPTY_FILE',
  'ERR_ENCRYPTED',
  'ERR_EXTRACTION_LIMIT',
  'ERR_EXTRACTION_TIMEOUT',
  'ERR_NO_TEXT',
  'ERR_UNSUPPORTED_FORMAT',
  'ERR_WRONG_TYPE',
]

/** The outcomes that each tag allows. Documents with any other tag must be completed. */
const BY_TAG: Readonly<Record<string, readonly string[]>> = {
  corrupt: ['completed', ...ANY_REFUSAL],
  fuzzed: ['completed', ...ANY_REFUSAL],
  'malicious-or-odd': ['completed', ...ANY_REFUSAL],
  'zip-xml-bomb': ANY_REFUSAL,
  encrypted: ['ERR_ENCRYPTED'],
  empty: ['ERR_NO_TEXT', 'ERR_EMPTY_FILE'],
  'scanned-or-image-only': ['ERR_NO_TEXT'],
  'old-word': ['ERR_UNSUPPORTED_FORMAT'],
}

/** Documents that differ from their tag, by their real content. Each was checked with other readers. */
const BY_NAME: Readonly<Record<string, string>> = {
  // Tables, pictures and styles without a letter. In two of them the text was deleted or moved away.
  ...named(
    'ERR_NO_TEXT',
    '57603-seven_columns.doc 58804_1.doc Doc1_ole.doc Picture_Alternative_Text.doc testWORD_multi_authors.doc vector_image.doc',
    '59378.docx Bug62859.docx Tika-792.docx doc-default.docx doc-no-coreprops.docx external-picture.docx tika-3388.docx',
    'set-no-settings-part.docx sty-having-no-styles-part.docx sty-having-styles-part.docx testWORD_multi_authors.docx',
    'tbl-2x2-table.docx tbl-col-props.docx tbl-having-tables.docx',
    'dates.pdf issue5567.pdf textfields.pdf two_pages.pdf empty_protected.pdf',
  ),
  // The only text is in a part of another format, which the reader leaves out.
  ...named('ERR_NO_TEXT', 'testAltChunkMHT.docx'),
  // The file does not say which letters its character codes mean. `references/wrong-references.ts` has these files.
  ...named('ERR_NO_TEXT', '90ms_rksj_h_sample.pdf arial_unicode_ab_cidfont.pdf issue9915_reduced.pdf'),
  // Files of Word 6 and 95, WordML and WordPerfect with the name of a Word 97 file.
  ...named(
    'ERR_UNSUPPORTED_FORMAT',
    '52117.doc 57843.doc Bug49933.doc Bug50955.doc Bug51944.doc Bug60942.doc Bug60942b.doc',
    'testWORDML_tableInsideParagraph.doc testWordPerfect_42.doc',
  ),
  // The engine refuses the character sets EUC-TW and EBCDIC.
  ...named('ERR_UNDECODABLE_TEXT', 'EUC-TW___ude_euc-tw1.txt english.cp500.txt'),
  // These have text: in a box, behind a scan, or in a file that opens without a password.
  ...named(
    'completed',
    'testWORD_emptyParaInTextbox.docx Seige_of_Vicksburg_Sample_OCR.pdf bug920426.pdf r4-owner-password.pdf unencrypted.pdf',
  ),
}

/** @param outcome `completed`, or the code of the error */
export function isExpected(file: string, tag: string, outcome: string): boolean {
  const name = BY_NAME[basename(file, '.gz')]
  return name === undefined ? (BY_TAG[tag] ?? ['completed']).includes(outcome) : outcome === name
}

function named(outcome: string, ...files: readonly string[]): Record<string, string> {
  return Object.fromEntries(files.flatMap((list) => list.split(' ').map((file) => [file, outcome])))
}

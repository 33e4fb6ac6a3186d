import { type ExtractedPiece, ExtractionError } from '../../../src/ports/index.js'
import { readDoc } from './doc/doc-reader.js'
import { readDocx } from './docx/docx-reader.js'
import { type FileBytes, readAll } from './reader.js'

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP = Buffer.from('PK')

/** What else people name .doc, by how it begins. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^\s*\{\\rtf/, 'RTF'],
  // Before version 5 without a signature: codes that begin and end with the same byte.
  [/^(?:\xffWPC|(?:([\xc0-\xef])[^]{2,8}?\1){2})/, 'WordPerfect'],
  [/^[^]{0,200}<\?mso-application\s+progid="Word\.Document"|<w:wordDocument/, 'WordML (Word 2003 XML)'],
  [/<pkg:package/, 'a flat Word XML document'],
  [/^\s*(<!doctype\s+html|<html)/i, 'HTML'],
  [/^\xdb\xa5/, 'a document of Word 2'],
  [/^[\x31\x32]\xbe\0\0/, 'a document of Word for DOS or Windows Write'],
  [/^MIME-Version:/i, 'a web archive (MHTML)'],
]
const HEAD_BYTES = 4_096

/**
 * Reads .docx and .doc, whichever of both it is: body, text boxes, notes, comments, headers and footers.
 *
 * A walk of our own over the events of saxes (XML) on yauzl (zip), and over the streams
 * of cfb (OLE), because no library keeps the text. On the reference documents the words of the
 * body that are found: mammoth 0.980, word-extractor 0.983, this 0.998; mammoth glues at line
 * breaks and drops notes, comments, headers, text boxes and simple fields, and neither keeps
 * the headers of tables. Of .doc files word-extractor (1.0.4) takes some colours of
 * right-to-left text for a deletion, writes "undefined" for a euro sign, mixes up the
 * pieces of files that were saved in a hurry, and fails as a whole at damaged bookmarks.
 */
export async function* readWord(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const bytes = await readAll(file)
  if (bytes.subarray(0, OLE.length).equals(OLE)) yield* readDoc(bytes)
  else if (bytes.subarray(0, ZIP.length).equals(ZIP)) yield* readDocx(bytes)
  else throw notWord(bytes.toString('latin1', 0, HEAD_BYTES))
}

function notWord(head: string): ExtractionError {
  const other = OTHERS.find(([pattern]) => pattern.test(head))?.[1] ?? 'of no kind that Word writes'
  return new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The content is ${other}, which is not read: save it as .docx`)
}

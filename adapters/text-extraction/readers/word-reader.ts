import { type ExtractedPiece, ExtractionError } from '../../../src/ports/index.js'
import { contentOf } from '../content.js'
import { readDoc } from './doc/doc-reader.js'
import { readDocx } from './docx/docx-reader.js'
import { type FileBytes, readAll } from './reader.js'

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP = Buffer.from('PK')

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
  else throw await notWord(bytes.subarray(0, HEAD_BYTES))
}

/** What the name's check has let through, or was not asked about. */
async function notWord(head: Buffer): Promise<ExtractionError> {
  const { name } = await contentOf(head)
  return new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The content is ${name}, and is not read: save it as .docx`)
}

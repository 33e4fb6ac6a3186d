import { ExtractionError } from '../../../src/ports/index.js'
import { contentOf } from '../content.js'
import { readDoc } from './doc/doc-reader.js'
import { readDocx } from './docx/docx-reader.js'
import { type FileBytes, inMemory, readAll } from './reader.js'
import type { ReaderPiece } from './reader-piece.js'
import { readRtf } from './rtf/rtf-reader.js'

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP = Buffer.from('PK')
const RTF = /^(?:\xef\xbb\xbf)?\s*\{\\rtf/

const HEAD_BYTES = 4_096

/**
 * Reads a .docx or .doc file, by its content: body, text boxes, notes, comments, headers and footers.
 *
 * The reader walks over the events of saxes (XML) on yauzl (zip), and over the streams of cfb (OLE), because no library
 * keeps the whole text. Words of the body that are found in the reference documents: mammoth 0.980, word-extractor
 * 0.983, this reader 0.998. Mammoth joins words at line breaks and drops notes, comments, headers, text boxes and
 * simple fields. Neither library keeps the headers of tables. In .doc files word-extractor (1.0.4) takes some colours of
 * right-to-left text for a deletion and writes "undefined" for a euro sign. It mixes up the pieces of fast-saved files,
 * and fails completely at damaged bookmarks.
 */
export async function* readWord(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const bytes = await readAll(file)
  if (bytes.subarray(0, OLE.length).equals(OLE)) yield* readDoc(bytes)
  else if (bytes.subarray(0, ZIP.length).equals(ZIP)) yield* readDocx(bytes)
  // Programs save RTF under this name, and Word opens it.
  else if (RTF.test(bytes.toString('latin1', 0, 1_000))) yield* readRtf(inMemory(bytes))
  else throw await notWord(bytes.subarray(0, HEAD_BYTES))
}

/** The error for a file whose name says Word and whose content does not. */
async function notWord(head: Buffer): Promise<ExtractionError> {
  const { name } = await contentOf(head)
  return new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${name}, which is not supported: save it as .docx`,
  )
}

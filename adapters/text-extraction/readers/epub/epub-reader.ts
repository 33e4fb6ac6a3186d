import { ExtractionError } from '../../../../src/ports/index.js'
import { DamagedPartError, DocxPackage } from '../docx/docx-package.js'
import { readPage } from '../html/html-reader.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, readAll, textMayBeMissing } from '../reader.js'
import type { ReaderPiece } from '../reader-piece.js'
import { type EpubChapter, onlyPictures, readBook } from './epub-package.js'

/**
 * Reads an e-book: title, authors, and its chapters in their order, as web pages. Headings become marks.
 * @throws ExtractionError `ERR_NO_TEXT` if its chapters have no text
 */
export async function* readEpub(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await DocxPackage.open(await readAll(bytes))
  const { title, creators, chapters } = await readBook(file)
  const out = new MarkedLines()
  out.beginSection(title, 1)
  if (creators.length > 0) out.add(creators.join(', '))
  const names = out.lines
  for (const chapter of chapters) {
    out.leaveGap()
    yield* readChapter(file, chapter, out)
  }
  // The title and the authors alone are no text.
  if (out.lines === names) throw onlyPictures()
  yield* out.pieces()
}

/** A damaged chapter loses only its own text. */
async function* readChapter(file: DocxPackage, chapter: EpubChapter, out: MarkedLines): AsyncGenerator<ReaderPiece> {
  const page = { sizeBytes: 0, open: () => file.bytes(chapter.part) }
  try {
    yield* readPage(page, out, { hasTitle: false, isXml: chapter.isXml })
  } catch (error) {
    const isUnreadable = error instanceof ExtractionError && error.code === 'ERR_UNDECODABLE_TEXT'
    if (!(error instanceof DamagedPartError) && !isUnreadable) throw error
    yield { text: '', warnings: [textMayBeMissing(`${chapter.part}: ${error.message}`)] }
  }
}

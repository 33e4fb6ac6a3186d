import { ExtractionError } from '../../../../src/ports/index.js'
import { DamagedPartError, DocxPackage } from '../docx/docx-package.js'
import { readPage } from '../html/html-reader.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, readAll, textMayBeMissing } from '../reader.js'
import type { ReaderPiece } from '../reader-piece.js'
import { type EpubChapter, onlyPictures, readBook } from './epub-package.js'

/**
 * Reads an e-book: title, authors, and its chapters in their order, as web pages. Headings become marks.
 * @throws ExtractionError `ERR_NO_TEXT` if its chapters have no text; `ERR_CORRUPT_FILE` if damaged ones alone could have
 */
export async function* readEpub(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await DocxPackage.open(await readAll(bytes))
  const { title, creators, chapters } = await readBook(file)
  const out = new MarkedLines()
  out.beginSection(title, 1)
  if (creators.length > 0) out.add(creators.join(', '))
  const names = out.lines
  let isDamaged = false
  for (const chapter of chapters) {
    out.leaveGap()
    if (yield* readChapter(file, chapter, out)) isDamaged = true
  }
  // The title and the authors alone are no text.
  if (out.lines === names) throw isDamaged ? damaged() : onlyPictures()
  yield* out.pieces()
}

function damaged(): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', 'The e-book is damaged: its chapters are missing or not readable')
}

/** A damaged chapter loses only its own text. @returns true for one */
async function* readChapter(
  file: DocxPackage,
  chapter: EpubChapter,
  out: MarkedLines,
): AsyncGenerator<ReaderPiece, boolean> {
  const page = { sizeBytes: 0, open: () => file.bytes(chapter.part) }
  try {
    yield* readPage(page, out, { hasTitle: false, isXml: chapter.isXml })
    return false
  } catch (error) {
    const isUnreadable = error instanceof ExtractionError && error.code === 'ERR_UNDECODABLE_TEXT'
    if (!(error instanceof DamagedPartError) && !isUnreadable) throw error
    yield { text: '', warnings: [textMayBeMissing(`${chapter.part}: ${error.message}`)] }
    return true
  }
}

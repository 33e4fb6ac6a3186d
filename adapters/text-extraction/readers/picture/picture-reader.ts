import { ExtractionError, type RecognizedText } from '../../../../src/ports/index.js'
import { HOW_TO_RECOGNIZE } from '../../picture-formats.js'
import { HyphenMender } from '../hyphen-mender.js'
import { inOrder } from '../in-order.js'
import { type FileBytes, type Recognition, readAll, storable, warning } from '../reader.js'
import type { ReaderPiece } from '../reader-piece.js'
import { tiffPages } from './tiff-pages.js'
import { unsureOf } from './unsure.js'

/** Reads the text in a picture, or in each page of a .tiff. */
export async function* readPicture(file: FileBytes, recognition: Recognition | undefined): AsyncGenerator<ReaderPiece> {
  // The file was received while text recognition was on.
  if (recognition === undefined) {
    throw new ExtractionError('ERR_NO_TEXT', `The file is a picture: ${HOW_TO_RECOGNIZE}`)
  }
  const hyphens = new HyphenMender()
  let pages = 0
  let recognised = 0
  const read = async (page: Uint8Array): Promise<RecognizedText> => await recognition.recognize(page)
  for await (const recognized of inOrder(tiffPages(await readAll(file)), recognition.atOnce, read)) {
    pages += 1
    if (recognized.text !== '') recognised += 1
    const text = recognized.text === '' ? '' : `${storable(hyphens.mend(recognized.text))}\n\n`
    const problem =
      recognized.text === ''
        ? warning(`page ${pages} has no text`, 'page-without-text', { page: pages })
        : unsureOf(recognized, pages)
    yield { text, pages, recognised, marks: [{ at: 0, page: pages }], ...(problem && { warnings: [problem] }) }
  }
  if (recognised === 0) throw new ExtractionError('ERR_NO_TEXT', 'No text was found in the picture')
}

import { ExtractionError, type RecognizedText } from '../../../../src/ports/index.js'
import { HOW_TO_RECOGNIZE } from '../../picture-formats.js'
import { HyphenMender } from '../hyphen-mender.js'
import { inOrder } from '../in-order.js'
import {
  type FileBytes,
  pagesMayBeLost,
  type Recognition,
  readAll,
  recognitionEnded,
  storable,
  warning,
} from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { isPictureTooLarge, pictureTooLarge } from './picture-size.js'
import { tiffPages } from './tiff-pages.js'
import { unsureOf } from './unsure.js'

/** Reads the text in a picture, or in each page of a .tiff. A page that cannot be read loses only its own text. */
export async function* readPicture(file: FileBytes, recognition: Recognition | undefined): AsyncGenerator<ReaderPiece> {
  // The file was received while text recognition was on.
  if (recognition === undefined) {
    throw new ExtractionError('ERR_NO_TEXT', `The file is a picture: ${HOW_TO_RECOGNIZE}`)
  }
  if (isPictureTooLarge(file.sizeBytes)) throw pictureTooLarge()
  const { pages, count, isBroken } = tiffPages(await readAll(file))
  if (isBroken) yield { text: '', warnings: [pagesMayBeLost(count)] }
  const hyphens = new HyphenMender()
  let page = 0
  let recognised = 0
  let failure: ExtractionError | undefined
  const read = async (picture: Uint8Array): Promise<RecognizedText | ExtractionError> =>
    await recognition.recognize(picture).catch((error: unknown) => {
      if (error instanceof ExtractionError) return error
      throw error
    })
  for await (const result of inOrder(pages, recognition.atOnce, read)) {
    page += 1
    if (result instanceof ExtractionError) {
      failure ??= result
      if (recognition.isOver) {
        yield { text: '', pages: page, recognised, warnings: [recognitionEnded(page)] }
        break
      }
      yield { text: '', pages: page, recognised, warnings: [failureOf(result, page)] }
      continue
    }
    if (result.text !== '') recognised += 1
    const text = result.text === '' ? '' : `${storable(hyphens.mend(result.text))}\n\n`
    const problem =
      result.text === '' ? warning(`page ${page} has no text`, 'page-without-text', { page }) : unsureOf(result, page)
    yield { text, pages: page, recognised, marks: [{ at: 0, page }], ...(problem && { warnings: [problem] }) }
  }
  if (recognised === 0) throw failure ?? new ExtractionError('ERR_NO_TEXT', 'No text was found in the picture')
}

/** The warning about a page that the recogniser cannot read. */
function failureOf({ code }: ExtractionError, page: number): ReaderWarning {
  if (code === 'ERR_CORRUPT_FILE') return warning(`page ${page} is damaged and left out`, 'page-damaged', { page })
  const message = `page ${page} is left out: to recognise its text takes too much time or memory`
  return warning(message, 'page-not-recognised', { page })
}

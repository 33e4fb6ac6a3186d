import type { RecognizedText } from '../../../../src/ports/index.js'
import { warning } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'

/** A text that is less sure than this has wrong letters in many words. */
const SURE = 0.7

/** The warning about a page whose text is not sure. */
export function unsureOf({ confidence }: RecognizedText, page: number): ReaderWarning | undefined {
  if (confidence >= SURE) return undefined
  const percent = Math.round(confidence * 100)
  const message = `page ${page} is hard to recognise (${percent}% sure): its text may have wrong letters`
  return warning(message, 'page-recognised-unsure', { page, percent })
}

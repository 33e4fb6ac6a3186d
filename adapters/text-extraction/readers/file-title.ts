import type { HeadingMark } from '../../../src/ports/index.js'
import { headingMarks, headingText } from './marks.js'
import type { ReaderPiece } from './reader-piece.js'

/** The level of a file's title: all headings of the text are below it. */
const TITLE_LEVEL = 0
/** Programs that print a file put their name in front of its name. */
const PROGRAM = /^Microsoft (?:Word|PowerPoint|Excel) - /i
/** Programs write these into a file that nobody gave a title. */
const PLACEHOLDER =
  /^(?:untitled|title(?: slide)?|(?:document|dokument|presentation|book|slide|folie|diapositive|diapositiva|слайд)\s?\d*|(?:\S+ )?powerpoint\S*(?: \S+)?)$/iu
/** A name with a usual ending, or one in ASCII with digits or underscores and no space, is that of a file. */
const FILE_NAME = /\.(?:docx?|dotx?|pptx?|xlsx?|pdf|rtf|odt|txt|indd|tex|dvi|html?)$|^(?=\S*[_\d])[\w.+()~-]+$/i

/**
 * The title from the metadata of a file, in one line of at most 200 characters.
 *
 * @returns '' without a title, and for one that says nothing, such as "Slide 1" or the name of a file
 */
export function fileTitle(written: unknown): string {
  if (typeof written !== 'string') return ''
  const title = headingText(written.replace(PROGRAM, ''))
  return !/\p{L}/u.test(title) || PLACEHOLDER.test(title) || FILE_NAME.test(title) ? '' : title
}

/** Puts all sections of a file below its title, if it has one. */
export async function* titled(pieces: AsyncIterable<ReaderPiece>, title: string): AsyncGenerator<ReaderPiece> {
  let marks = titleMarks(0, title)
  for await (const piece of pieces) {
    const isEmpty = piece.text === '' && piece.marks === undefined
    yield isEmpty ? piece : { ...piece, marks: [...marks, ...(piece.marks ?? [])] }
    if (!isEmpty) marks = []
  }
}

/** A mark for the title of the whole file. @returns none for '' */
export function titleMarks(at: number, title: string): HeadingMark[] {
  return headingMarks(at, title, TITLE_LEVEL)
}

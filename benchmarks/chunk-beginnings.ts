import type { CutText } from './chunk-places.js'
import { hundredths } from './measure.js'

/** Chunks by what they begin at, in hundredths. */
export interface BeginningShares extends Beginnings {
  /** Those that begin at a heading, a paragraph or a sentence, or with the text. */
  readonly atBoundary: number
}

/** Chunks by what they begin at. */
interface Beginnings {
  /** The first words of the text. */
  readonly textStart: number
  /** A Markdown heading, or a new page. */
  readonly heading: number
  /** Behind a blank line. */
  readonly paragraph: number
  /** Behind the end of a sentence. */
  readonly sentence: number
  /** Behind other white space. */
  readonly word: number
  readonly insideAWord: number
  /** The chunk's first characters are not in the text as they stand there. */
  readonly notFound: number
}

/** How much is looked at of what stands before a chunk. */
const CHARACTERS_BEFORE = 200

/** Where the chunks of all the texts begin; but for `atBoundary` the shares add up to 1, as far as they are rounded. */
export function sharesOfBeginnings(cutTexts: readonly CutText[]): BeginningShares {
  const counts = { textStart: 0, heading: 0, paragraph: 0, sentence: 0, word: 0, insideAWord: 0, notFound: 0 }
  for (const cutText of cutTexts) countBeginnings(cutText, counts)
  const chunks = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const share = (count: number): number => hundredths(count / chunks)
  return {
    atBoundary: share(counts.textStart + counts.heading + counts.paragraph + counts.sentence),
    textStart: share(counts.textStart),
    heading: share(counts.heading),
    paragraph: share(counts.paragraph),
    sentence: share(counts.sentence),
    word: share(counts.word),
    insideAWord: share(counts.insideAWord),
    notFound: share(counts.notFound),
  }
}

/** Looks at what stands before each chunk. */
function countBeginnings({ text, chunks }: CutText, counts: Record<keyof Beginnings, number>): void {
  const textStart = text.length - text.trimStart().length
  for (const { at } of chunks) {
    if (at === -1) counts.notFound += 1
    else counts[at <= textStart ? 'textStart' : beginningAt(text, at)] += 1
  }
}

function beginningAt(text: string, at: number): 'heading' | 'paragraph' | 'sentence' | 'word' | 'insideAWord' {
  const before = text.slice(Math.max(0, at - CHARACTERS_BEFORE), at)
  const isMarkdownHeading = before.endsWith('\n') && /^#{1,6}\s/.test(text.slice(at, at + 7))
  if (isMarkdownHeading || /\f\s*$/.test(before)) return 'heading'
  if (/\n[ \t\r]*\n\s*$/.test(before)) return 'paragraph'
  if (/[.!?…]["')\]”’*_]*\s+$/.test(before)) return 'sentence'
  return /\s$/.test(before) ? 'word' : 'insideAWord'
}

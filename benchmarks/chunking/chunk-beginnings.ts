import { hundredths } from '../harness/measure.js'
import type { CutText } from './chunk-places.js'

/** Shares of chunks by their beginning, in hundredths. */
export interface BeginningShares extends Beginnings {
  /** Chunks that begin at a heading, a paragraph, a sentence or the start of the text. */
  readonly atBoundary: number
}

/** Chunks by their beginning. */
interface Beginnings {
  /** The first words of the text. */
  readonly textStart: number
  /** A Markdown heading, or a new page. */
  readonly heading: number
  /** After a blank line. */
  readonly paragraph: number
  /** After the end of a sentence. */
  readonly sentence: number
  /** After other white space. */
  readonly word: number
  readonly insideAWord: number
  /** The splitter changed the first characters of the chunk, so that they are not in the text. */
  readonly notFound: number
}

/** Characters before a chunk that the benchmark examines. */
const CHARACTERS_BEFORE = 200

/** Shares of the chunks of all texts together. Without `atBoundary` the shares add up to 1, except for rounding. */
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

/** Examines the characters before each chunk. */
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

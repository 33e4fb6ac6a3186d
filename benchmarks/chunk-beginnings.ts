import { hundredths } from './measure.js'

/** Chunks by what they begin at: how many, or their shares in hundredths. */
export interface Beginnings {
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

/** What a splitter made of a text. */
export interface CutText {
  readonly text: string
  readonly chunks: readonly string[]
}

const PROBE_CHARACTERS = 80
/** How much is looked at of what stands before a chunk. */
const CHARACTERS_BEFORE = 200

/** Where the chunks of all the texts begin; the shares add up to 1, but for their rounding. */
export function sharesOfBeginnings(cutTexts: readonly CutText[]): Beginnings {
  const counts = { textStart: 0, heading: 0, paragraph: 0, sentence: 0, word: 0, insideAWord: 0, notFound: 0 }
  for (const cutText of cutTexts) countBeginnings(cutText, counts)
  const chunks = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const share = (count: number): number => hundredths(count / chunks)
  return {
    textStart: share(counts.textStart),
    heading: share(counts.heading),
    paragraph: share(counts.paragraph),
    sentence: share(counts.sentence),
    word: share(counts.word),
    insideAWord: share(counts.insideAWord),
    notFound: share(counts.notFound),
  }
}

/** Looks each chunk up in its text, and at what stands before it. Peers trim chunks, and some change white space. */
function countBeginnings({ text, chunks }: CutText, counts: Record<keyof Beginnings, number>): void {
  const textStart = text.length - text.trimStart().length
  let from = 0
  for (const chunk of chunks) {
    const at = text.indexOf(chunk.trimStart().slice(0, PROBE_CHARACTERS), from)
    if (at === -1) {
      counts.notFound += 1
      continue
    }
    from = at + 1
    counts[at <= textStart ? 'textStart' : beginningAt(text, at)] += 1
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

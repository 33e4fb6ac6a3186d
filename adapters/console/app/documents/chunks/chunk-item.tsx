import type { ReactElement, Ref } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import type { Chunk } from '../document.js'
import { CHUNK_TEXTS } from './chunk-texts.js'

interface ChunkItemProps {
  readonly chunk: Chunk
  readonly previous: Chunk | undefined
  readonly next: Chunk | undefined
  readonly marked: { readonly from: number; readonly to: number } | undefined
  /** Address of the chunk. */
  readonly href: string
  readonly isLinked: boolean
  readonly ref: Ref<HTMLElement> | undefined
}

/** A chunk in the text: where it comes from, and what it shares with the next one. */
export function ChunkItem({ chunk, previous, next, marked, href, isLinked, ref }: ChunkItemProps): ReactElement {
  const texts = useTexts(CHUNK_TEXTS)
  const { number } = useFormat()
  const { ordinal, pages, headings, tokens } = chunk
  const facts = [
    ...(pages === null ? [] : [texts.pages(number(pages.first), number(pages.last))]),
    ...(headings.length === 0 ? [] : [headings.join(' › ')]),
    texts.tokens(number(tokens)),
    ...(isLinked ? [texts.linked] : []),
  ]
  return (
    <article ref={ref} tabIndex={-1} className={isLinked ? 'docs-chunk docs-chunk-linked' : 'docs-chunk'}>
      <div className="docs-chunk-head">
        <h4>
          <Link href={href}>{texts.chunk(number(ordinal + 1))}</Link>
        </h4>
        <span className="soft">{facts.join(' · ')}</span>
      </div>
      <div className="docs-chunk-text">
        {piecesOf(chunk, previous, next, marked).map((piece, index) => (
          <PieceText
            key={piece.start}
            // The heading of the chunk stands for empty lines before it.
            piece={index === 0 ? { ...piece, text: piece.text.replace(/^\s*\n/, '') } : piece}
            title={texts.shared(number(ordinal + 2))}
          />
        ))}
      </div>
    </article>
  )
}

function PieceText({ piece, title }: { readonly piece: Piece; readonly title: string }): ReactElement {
  const { text, isShared, isMarked } = piece
  const shown = isMarked ? <mark>{text}</mark> : text
  return isShared ? (
    <span className="docs-shared" title={title}>
      {shown}
    </span>
  ) : (
    <>{shown}</>
  )
}

/** A part of a text that looks the same everywhere. */
interface Piece {
  /** Offset in the text of the document. */
  readonly start: number
  readonly text: string
  /** True if the next chunk repeats it. */
  readonly isShared: boolean
  readonly isMarked: boolean
}

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The text of a chunk from the end of the chunk before it, so that chunks one after the other are the text.
 *
 * @param marked the part that a link is about
 */
function piecesOf(
  { content, start, end }: Chunk,
  previous: Chunk | undefined,
  next: Chunk | undefined,
  marked: Range | undefined,
): readonly Piece[] {
  const begin = clamp(previous?.end ?? start, start, end)
  const sharedFrom = clamp(next?.start ?? end, begin, end)
  const markFrom = clamp(marked?.from ?? end, begin, end)
  const markTo = clamp(marked?.to ?? end, markFrom, end)
  const cuts = [...new Set([begin, sharedFrom, markFrom, markTo, end])].sort((first, second) => first - second)
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? begin
    return {
      start: from,
      text: content.slice(from - start, to - start),
      isShared: from >= sharedFrom,
      isMarked: marked !== undefined && from >= markFrom && to <= markTo,
    }
  })
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

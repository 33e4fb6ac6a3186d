import type { Extracted } from '../../extracted.js'

/** The line of text at each mark, with the mark. A mark at the end of the text has an empty line. */
export function marksOf({ pieces }: Extracted): (readonly [line: string, mark: object])[] {
  return pieces.flatMap(({ text, marks = [] }) =>
    marks.map(({ at, ...mark }) => [text.slice(at).split('\n', 1)[0] ?? '', mark] as const),
  )
}

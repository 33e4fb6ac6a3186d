import type { DocStreams } from './doc-container.js'

/** The position of the style sheet in the table stream ([MS-DOC] 2.5.6, `fcStshf`). */
const STYLES = 0x00a2
/** The number of a style that is based on none. */
const NO_STYLE = 0xfff
/** The built-in styles 1 to 9 are the headings. */
const LAST_HEADING = 9
/** The built-in style of the title. */
const TITLE = 62
/** Styles are based on each other through few steps. A damaged file may have a circle. */
const MAX_STEPS = 20

interface Style {
  /** The number of the built-in style that it is; a larger one for styles of the user. */
  readonly builtIn: number
  readonly basedOn: number
}

/**
 * The levels of headings by the number of the style, from 1. A style has the level of the built-in heading that it is, or
 * on which it is based ([MS-DOC] 2.9.271). A damaged style sheet leaves the built-in numbers of headings.
 */
export function styleLevels(streams: DocStreams): ReadonlyMap<number, number> {
  const levels = new Map(Array.from({ length: LAST_HEADING }, (_, index) => [index + 1, index + 1]))
  const styles = readStyles(streams)
  for (const number of styles.keys()) {
    let style = styles.get(number)
    for (let step = 0; step < MAX_STEPS && style !== undefined; step += 1) {
      const level = levelOf(style.builtIn)
      if (level !== undefined) {
        levels.set(number, level)
        break
      }
      style = styles.get(style.basedOn)
    }
  }
  return levels
}

function levelOf(builtIn: number): number | undefined {
  if (builtIn === TITLE) return 1
  return builtIn >= 1 && builtIn <= LAST_HEADING ? builtIn : undefined
}

function readStyles({ main, table }: DocStreams): Map<number, Style> {
  const start = main.readUInt32LE(STYLES)
  const sheet = table.subarray(start, start + main.readUInt32LE(STYLES + 4))
  const styles = new Map<number, Style>()
  if (sheet.length < 4) return styles
  let offset = 2 + sheet.readUInt16LE(0)
  for (let number = 0; offset + 2 <= sheet.length && number < NO_STYLE; number += 1) {
    const size = sheet.readUInt16LE(offset)
    if (size >= 4 && offset + 6 <= sheet.length) {
      const [builtIn, basedOn] = [sheet.readUInt16LE(offset + 2) & 0xfff, sheet.readUInt16LE(offset + 4) >>> 4]
      styles.set(number, { builtIn, basedOn })
    }
    // Each style begins at an even offset.
    offset += 2 + size + (size % 2)
  }
  return styles
}

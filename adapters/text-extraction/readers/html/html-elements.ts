/** Elements that no browser shows, or whose text is not part of the page. */
const HIDDEN = setOf(
  'script style template noscript noframes noembed iframe datalist rp annotation annotation-xml audio video canvas',
)
/** Elements whose end tag may be missing. To hide one could hide everything after it. */
const WITHOUT_END = setOf('p li dt dd tr td th thead tbody tfoot option optgroup rt colgroup caption html body head')
const VOID = setOf('area base br col embed hr img input link meta param source track wbr')
/** Elements that begin and end a line. The last ones are of drawings (SVG). */
const LINES = setOf(
  'div li dt dd option optgroup caption figcaption legend summary address center button fieldset text desc',
)
/** Elements with an empty line before and after them. */
const PARAGRAPHS = setOf(
  'p pre blockquote section article aside header footer main nav figure details dialog dl form hr body html hgroup search',
)
const LISTS = setOf('ul ol menu dir')
/** Elements whose end also ends what is still open in them. The end of a form ends nothing else. */
const CONTAINERS = setOf(
  'table thead tbody tfoot tr td th caption div section article main aside header footer nav figure blockquote fieldset ul ol dl details body',
)
/** The parts of a table, by their depth: one ends an open part of its depth, and all that is in it. */
const TABLE_PARTS: ReadonlyMap<string, number> = new Map(
  Object.entries({ thead: 0, tbody: 0, tfoot: 0, caption: 0, tr: 1, td: 2, th: 2 }),
)

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}

/** The gap before and after an element: an empty line, a line break, or none. */
export function breakOf(name: string): 'paragraph' | 'line' | undefined {
  if (PARAGRAPHS.has(name)) return 'paragraph'
  return LINES.has(name) ? 'line' : undefined
}

export function isList(name: string): boolean {
  return LISTS.has(name)
}

/** The level of a heading. @returns 0 for other elements */
export function headingLevelOf(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name.charAt(1)) : 0
}

/** True for an element whose end also ends a hidden element in it, of which the end tag is missing. */
export function isContainer(name: string): boolean {
  return CONTAINERS.has(name)
}

/** The depth of a part of a table: 0 for sections, 1 for rows, 2 for cells. @returns `undefined` for other elements */
export function tablePartDepth(name: string): number | undefined {
  return TABLE_PARTS.get(name)
}

/** True for an element that the page does not show: by its kind, by `hidden`, or by `display: none`. */
export function isHidden(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (HIDDEN.has(name)) return true
  if (VOID.has(name) || WITHOUT_END.has(name)) return false
  const hidden = attributes.get('hidden')
  if (hidden !== undefined && hidden.toLowerCase() !== 'until-found') return true
  return /display\s*:\s*none/i.test(attributes.get('style') ?? '')
}

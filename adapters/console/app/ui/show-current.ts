/**
 * Scrolls links sideways to the current one, where they have no room.
 * @param keepsFocus true to keep a link with visible focus in sight instead
 */
export function showCurrent(links: HTMLElement | null, { keepsFocus = false } = {}): void {
  const focused = keepsFocus ? links?.querySelector(':focus-visible') : null
  const shown = focused ?? links?.querySelector('[aria-current]')
  if (links == null || shown == null) return
  const [place, room] = [shown.getBoundingClientRect(), links.getBoundingClientRect()]
  if (place.left < room.left || place.right > room.right) links.scrollLeft += place.left - room.left
}

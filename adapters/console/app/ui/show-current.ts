/** Scrolls links sideways to the current one, where they have no room. A link that has the focus stays in sight instead. */
export function showCurrent(links: HTMLElement | null): void {
  const shown = links?.querySelector(':focus-visible') ?? links?.querySelector('[aria-current]')
  if (links == null || shown == null) return
  const [place, room] = [shown.getBoundingClientRect(), links.getBoundingClientRect()]
  if (place.left < room.left || place.right > room.right) links.scrollLeft += place.left - room.left
}

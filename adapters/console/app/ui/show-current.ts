/** Scrolls links sideways to the current one, where they have no room. */
export function showCurrent(links: HTMLElement | null): void {
  const current = links?.querySelector('[aria-current]')
  if (links == null || current == null) return
  const [place, room] = [current.getBoundingClientRect(), links.getBoundingClientRect()]
  if (place.left < room.left || place.right > room.right) links.scrollLeft += place.left - room.left
}

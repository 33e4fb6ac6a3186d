/** The storage of the browser: it keeps choices of the page, and no secrets. A browser that keeps nothing loses only those. */
export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, if the browser allows it. */
export function store(name: string, text: string): void {
  try {
    localStorage.setItem(name, text)
  } catch {
    // Blocked, or full. The choice holds until the page is loaded again.
  }
}

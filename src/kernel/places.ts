/** Places of which each name has so many, for what is under way. */
export class Places {
  readonly #taken = new Map<string, number>()

  /**
   * Takes one place of each name.
   * @param most how many places each name has
   * @returns a function that gives them back, once; or the name of which none is free: then none is taken
   */
  take(most: Readonly<Record<string, number>>): (() => void) | string {
    const names = Object.keys(most)
    const full = names.find((name) => (this.#taken.get(name) ?? 0) >= (most[name] ?? 0))
    if (full !== undefined) return full
    for (const name of names) this.#add(name, 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      for (const name of names) this.#add(name, -1)
    }
  }

  #add(name: string, change: 1 | -1): void {
    const taken = (this.#taken.get(name) ?? 0) + change
    if (taken === 0) this.#taken.delete(name)
    else this.#taken.set(name, taken)
  }
}

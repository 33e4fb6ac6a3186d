/** Limits the work in progress: each name has a number of places. */
export class Places {
  readonly #taken = new Map<string, number>()

  /**
   * Takes one place of each name.
   * @param limits the number of places of each name
   * @returns a function that releases the places; further calls of it have no effect. Or the name that has no free
   *   place: then no place is taken.
   */
  acquire(limits: Readonly<Record<string, number>>): (() => void) | string {
    const names = Object.keys(limits)
    const fullName = names.find((name) => (this.#taken.get(name) ?? 0) >= (limits[name] ?? 0))
    if (fullName !== undefined) return fullName
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

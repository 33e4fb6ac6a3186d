import { useSyncExternalStore } from 'react'

/** A value that lives longer than a page of the section, and that components can follow. */
export class Store<Value> {
  readonly #listeners = new Set<() => void>()

  /** @param onFollowed called when the first component begins to follow the value, and when the last one ends */
  constructor(
    private value: Value,
    private readonly onFollowed: (isFollowed: boolean) => void = () => undefined,
  ) {}

  readonly get = (): Value => this.value

  set(value: Value): void {
    this.value = value
    for (const listener of this.#listeners) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.onFollowed(true)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.onFollowed(false)
    }
  }
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}

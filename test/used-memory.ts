/** Memory of this process for objects and buffers, in bytes. Includes garbage that is not collected yet. */
export function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** The same after a collection. The amount of garbage depends on the load of the machine. */
export function heldMemory(): number {
  globalThis.gc?.()
  return usedMemory()
}

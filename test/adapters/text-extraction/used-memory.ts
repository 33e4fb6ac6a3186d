/** Memory of this process for objects and buffers, in bytes. */
export function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

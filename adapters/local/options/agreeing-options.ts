/** Deepest member that is compared: options are flat, and a host's own object may contain itself. */
const MAX_DEPTH = 6
const NATIVE = /\{\s*\[native code\]\s*\}\s*$/

/**
 * The names of the options that two callers give differently. Data is compared by its values, functions by their code,
 * because a development server that evaluates a module again makes new ones. Instances of classes are the same only if
 * they are one object.
 */
export function differences(one: object, other: object): string[] {
  const [before, now] = [membersOf(one), membersOf(other)]
  const names = new Set([...before.keys(), ...now.keys()])
  // The folder is compared by the caller: it may have several paths.
  names.delete('dataDir')
  return [...names].filter((name) => !agree(before.get(name), now.get(name), MAX_DEPTH))
}

function agree(one: unknown, other: unknown, depth: number): boolean {
  if (Object.is(one, other)) return true
  if (depth === 0) return false
  if (typeof one === 'function' && typeof other === 'function') {
    const code = String(one)
    return code === String(other) && !NATIVE.test(code)
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (ArrayBuffer.isView(one) && ArrayBuffer.isView(other)) return bytesOf(one).equals(bytesOf(other))
  if (Array.isArray(one) !== Array.isArray(other) || !(Array.isArray(one) || (isPlain(one) && isPlain(other))))
    return false
  const [before, now] = [membersOf(one), membersOf(other)]
  return before.size === now.size && [...before].every(([name, value]) => agree(value, now.get(name), depth - 1))
}

/** A member that is undefined is no member. */
function membersOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined))
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** True for an object of `{ … }`, also of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

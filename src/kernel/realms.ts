/**
 * Checks of values of the platform that hold across realms. A test runner such as Jest runs modules in a realm of its own,
 * with classes of its own. Node's modules then give errors, bytes and streams of another realm, and `instanceof` is false
 * for them. So no code of the engine uses `instanceof` with a class of the platform; ESLint checks that.
 */

export function isError(value: unknown): value is Error {
  return hasMembers(value, 'name', 'message') && typeof value.name === 'string' && typeof value.message === 'string'
}

/** The value, or an error with its text: anything can be thrown. */
export function asError(value: unknown): Error {
  return isError(value) ? value : new Error(String(value))
}

/** The message of an error, or the text of another value that was thrown. */
export function messageOf(value: unknown): string {
  return isError(value) ? value.message : String(value)
}

export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}

export function isAbortSignal(value: unknown): value is AbortSignal {
  return hasMembers(value, 'aborted', 'addEventListener')
}

export function isBlob(value: unknown): value is Blob {
  return hasMembers(value, 'size', 'arrayBuffer', 'stream') && typeof value.stream === 'function'
}

export function isWebStream(value: unknown): value is ReadableStream {
  return hasMembers(value, 'getReader') && typeof value.getReader === 'function'
}

function hasMembers<Name extends string>(value: unknown, ...names: readonly Name[]): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && names.every((name) => name in value)
}

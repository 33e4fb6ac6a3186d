import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
// The built package is a second copy of the sources.
import * as built from '../../../dist/src/index.js'
import * as builtPorts from '../../../dist/src/ports/index.js'
import { AlcoveError, InvalidInputError, NotFoundError } from '../../../src/index.js'
import { asError, isAbortSignal, isBlob, isBytes, isError, isWebStream, messageOf } from '../../../src/kernel/realms.js'
import { UnresolvedDestinationError } from '../../../src/ports/index.js'

describe('values of another realm', () => {
  it('are recognised where instanceof is false', () => {
    const error = runInNewContext('new RangeError("too large")') as unknown
    const bytes = runInNewContext('new Uint8Array([1, 2])') as unknown
    expect(error instanceof Error || bytes instanceof Uint8Array).toBe(false)
    expect([isError(error), asError(error) === error, messageOf(error)]).toEqual([true, true, 'too large'])
    expect([isBytes(bytes), isBytes(Buffer.from('a')), isBytes(new Uint16Array(1)), isBytes('a')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('and those of this realm are told apart', () => {
    const blob = new Blob(['text'])
    const { signal } = new AbortController()
    expect([signal, blob, Promise.resolve(), undefined].map(isAbortSignal)).toEqual([true, false, false, false])
    expect([blob, new Response('text'), null].map(isBlob)).toEqual([true, false, false])
    expect([blob.stream(), blob, undefined].map(isWebStream)).toEqual([true, false, false])
    expect([isError(new DOMException('stop', 'AbortError')), isError('text'), isError(null)]).toEqual([
      true,
      false,
      false,
    ])
    expect(asError('text')).toEqual(new Error('text'))
    expect(messageOf(undefined)).toBe('undefined')
  })
})

describe('an error of another copy of the package', () => {
  it('is an instance of the classes with its names, and of no others', () => {
    const notFound: unknown = new built.NotFoundError('context', 7)
    expect(Object.getPrototypeOf(notFound)).not.toBe(NotFoundError.prototype)
    expect(notFound instanceof AlcoveError && notFound instanceof NotFoundError).toBe(true)
    expect(notFound instanceof InvalidInputError).toBe(false)
    const unresolved: unknown = new builtPorts.UnresolvedDestinationError('url', 'does not resolve')
    expect(unresolved instanceof InvalidInputError && unresolved instanceof UnresolvedDestinationError).toBe(true)
    expect(new InvalidInputError('url', 'is missing') instanceof builtPorts.UnresolvedDestinationError).toBe(false)
    for (const other of [new Error('text'), {}, null, 'text']) expect(other instanceof AlcoveError).toBe(false)
  })
})

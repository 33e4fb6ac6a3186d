import assert from 'node:assert/strict'
import type { ErrorReason } from '../../src/ports/index.js'

/** The two functions of a test runner that a suite needs: vitest, Jest, Mocha and node:test have them. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  it(name: string, test: () => Promise<void>): unknown
}

/** A fresh adapter that no other test uses, and the function that disposes of it. */
export interface Subject<Port> {
  readonly port: Port
  readonly dispose: () => Promise<void>
}

/** Creates a fresh adapter for one test. */
export type CreateSubject<Port> = () => Promise<Subject<Port>>

/** Defines one test of a port. */
export type DefineTest<Port> = (name: string, body: (port: Port) => Promise<void>) => void

/** Defines a suite: each test creates its own adapter and disposes of it. */
export function defineSuite<Port>(
  runner: TestRunner,
  title: string,
  create: CreateSubject<Port>,
  define: (test: DefineTest<Port>) => void,
): void {
  runner.describe(title, () => {
    define((name, body) => {
      runner.it(name, async () => {
        const { port, dispose } = await create()
        try {
          await body(port)
        } finally {
          await dispose()
        }
      })
    })
  })
}

/** Asserts that the work fails with an error of this code. */
export async function rejectsWith(
  code: string,
  work: Promise<unknown> | (() => Promise<unknown>),
  reason?: ErrorReason,
): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof Error, 'an Error is thrown')
    assert.equal('code' in error ? error.code : undefined, code, error.message)
    if (reason !== undefined) assert.deepEqual('reason' in error ? error.reason : undefined, reason)
    return true
  })
}

/** All items of an iteration. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Bytes in pieces of one size, as a network delivers them. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

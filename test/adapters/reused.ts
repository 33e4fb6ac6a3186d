import { afterAll } from 'vitest'
import type { CreateSubject } from '../conformance/index.js'

/**
 * A subject that serves one test after the other, because its start costs much more than a test. The test that closes it
 * is the last one that gets it.
 */
export function reused<Port extends { close(): Promise<void> }>(start: () => Promise<Port>): CreateSubject<Port> {
  let current: { readonly port: Port; isClosed: boolean } | undefined
  afterAll(async () => {
    await current?.port.close()
  })
  return async () => {
    if (current === undefined || current.isClosed) {
      const made = { port: await start(), isClosed: false }
      const close = made.port.close.bind(made.port)
      made.port.close = async () => {
        made.isClosed = true
        await close()
      }
      current = made
    }
    return { port: current.port, dispose: () => Promise.resolve() }
  }
}

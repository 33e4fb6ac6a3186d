import { expect, it } from 'vitest'
import { DOCUMENT_EVENTS_ROUTE } from '../../../../adapters/http-server/routes/assistant/document-events.js'
import type { DocumentState, WatchOptions } from '../../../../src/index.js'
import { collectGarbage } from '../../../collect-garbage.js'

it('a stream of many documents keeps none of the states that it has sent', async () => {
  const states: WeakRef<DocumentState>[] = []
  async function* watch(_contextId: number, options: WatchOptions): AsyncGenerator<DocumentState> {
    options.onOpen?.()
    for (;;) {
      const state = { id: states.length, status: 'completed' } as DocumentState
      states.push(new WeakRef(state))
      yield state
    }
  }
  const request = new Request('http://localhost/')
  const call = { request, params: { contextId: 1 }, query: {}, requireToken: async () => undefined }
  const answer = await DOCUMENT_EVENTS_ROUTE.handle(call as never, { documents: { watch } } as never)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  for (let count = 0; count < 100; count += 1) await reader.read()
  await collectGarbage()
  // The last ones wait to be sent.
  expect(states.length).toBeGreaterThan(90)
  expect(states.slice(0, -3).filter((state) => state.deref() !== undefined)).toEqual([])
  await reader.cancel()
})

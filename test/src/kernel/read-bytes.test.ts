import { expect, it } from 'vitest'
import { readBytes } from '../../../src/kernel/read-bytes.js'
import { collectGarbage } from '../../collect-garbage.js'

it('keeps no piece of a stream beside the buffer', async () => {
  const pieces: WeakRef<Uint8Array>[] = []
  let end = (): void => undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (pieces.length === 20) {
          await new Promise<void>((resolve) => {
            end = resolve
          })
          controller.close()
          return
        }
        const piece = new Uint8Array(1_000).fill(pieces.length)
        pieces.push(new WeakRef(piece))
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  const refuse = (): Error => new Error('refused')
  const read = readBytes(stream, { maxBytes: 1e6, maxWaitMs: 60_000, tooLarge: refuse, tooSlow: refuse })
  while (pieces.length < 20) await new Promise((resolve) => setTimeout(resolve))
  await collectGarbage()
  // The last one may be in the hands of the stream.
  expect(pieces.slice(0, -1).filter((piece) => piece.deref() !== undefined)).toEqual([])
  end()
  expect((await read).length).toBe(20_000)
})

it('ends a stream that is too slow, also between two pieces', async () => {
  const tooSlow = (): Error => new Error('too slow')
  const tooLarge = (): Error => new Error('too large')
  const limits = { maxBytes: 1e6, maxWaitMs: 30, tooLarge, tooSlow }
  await expect(readBytes(new ReadableStream(), limits)).rejects.toThrow('too slow')
  const steady = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      controller.enqueue(new Uint8Array(1))
    },
  })
  await expect(readBytes(steady, limits)).rejects.toThrow('too slow')
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A port on which connections are never made: neither accepted nor refused. */
export interface FullListener {
  readonly port: number
  close(): Promise<void>
}

/** It listens with the shortest queue, and its thread sleeps: nobody takes a connection from the queue. */
const LISTENER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer().listen({ port: 0, host: workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/** Fills the queue of a listener, so that the next one who connects hears nothing. */
export async function startFullListener(host = '127.0.0.1'): Promise<FullListener> {
  const worker = new Worker(LISTENER, { eval: true, workerData: host })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers: Socket[] = []
  // The kernel keeps one more than it was told, and those half made.
  for (let count = 0; count < 6; count += 1) fillers.push(connect(port, host).on('error', () => undefined))
  await setTimeout(300)
  return {
    port,
    close: async () => {
      for (const filler of fillers) filler.destroy()
      await worker.terminate()
    },
  }
}

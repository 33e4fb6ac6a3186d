import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A port on which connections are neither accepted nor refused. */
export interface FullListener {
  readonly port: number
  close(): Promise<void>
}

/** A listener with the shortest queue. Its thread sleeps, so no connection leaves the queue. */
const LISTENER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer().listen({ port: 0, host: workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/** Fills the queue of a listener, so that the next client gets no answer. */
export async function startFullListener(host = '127.0.0.1'): Promise<FullListener> {
  const worker = new Worker(LISTENER, { eval: true, workerData: host })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers: Socket[] = []
  // The kernel keeps one connection more than configured, plus half-open ones.
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

import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ExtractionLimits } from '../extraction-limits.js'
import type { HostMessage, ProcessMessage, WorkerMessage } from './extraction-protocol.js'

/**
 * The main thread of a reading process. A second thread reads the file. This thread stays responsive, watches the
 * memory of the process, and ends with its host.
 *
 * A thread in the host process is not enough. An array that grows beyond the limit of the heap in one step ends the
 * whole process. Buffers have no limit at all.
 */

/** In this time a thread can fill some tens of megabytes. */
const WATCH_EVERY_MS = 20
/** A process that uses more than this share of its limit after a file is replaced: the next file needs that memory. */
const WORN_SHARE = 0.3
/** The time for the last message to reach the host. */
const LAST_MESSAGE_MS = 2_000

/** If the system kills a process that uses more than this share of its limit, the file needs too much memory. */
const GROWN_SHARE = 0.6

// If memory is short, Linux ends this process before the host.
if (process.platform === 'linux') {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Some containers forbid it.
  }
}

const [, , worker = '', json = ''] = process.argv
const limits = JSON.parse(json) as ExtractionLimits
const maxBytes = limits.maxMemoryMb * 1_048_576
let watch: NodeJS.Timeout | undefined
let isDying = false

const thread = new Worker(new URL(worker), {
  workerData: limits,
  resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMb },
})
thread.on('message', (message: WorkerMessage) => {
  if (message.type === 'end' || message.type === 'failed') {
    clearInterval(watch)
    if (process.memoryUsage.rss() > maxBytes * WORN_SHARE) send({ type: 'worn' })
  }
  send(message)
})
thread.on('error', (error) => {
  die('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash')
})
thread.on('exit', () => {
  die('crash')
})

process.on('message', (message: HostMessage) => {
  if (message.type === 'extract') {
    clearInterval(watch)
    let hasGrown = false
    watch = setInterval(() => {
      const bytes = process.memoryUsage.rss()
      if (bytes > maxBytes) die('memory')
      if (!hasGrown && bytes > maxBytes * GROWN_SHARE) {
        hasGrown = true
        send({ type: 'grown' })
      }
    }, WATCH_EVERY_MS)
  }
  thread.postMessage(message)
})
// A killed host sends no message, but its end of the channel closes.
process.on('disconnect', end)
if (!process.connected) end()
// A terminal sends its signals to the whole process group. Only the host handles them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

function send(message: ProcessMessage): void {
  process.send?.(message)
}

function die(cause: 'memory' | 'crash'): void {
  if (isDying) return
  isDying = true
  clearInterval(watch)
  void thread.terminate()
  setTimeout(end, LAST_MESSAGE_MS)
  process.send?.({ type: 'died', cause } satisfies ProcessMessage, end)
}

/** Ends the process at once. An orderly exit would wait for the thread. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

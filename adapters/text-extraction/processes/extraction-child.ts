import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ExtractionLimits } from '../extraction-limits.js'
import type { HostMessage, ProcessMessage, WorkerMessage } from './extraction-protocol.js'

/**
 * The process in which files are read, without the reading: that is its thread's.
 * This one stays awake whatever the thread does, watches the memory of both, and
 * ends with its host.
 *
 * A thread of the host would not do: an array that grows beyond the heap's limit in
 * one step ends the whole process, and buffers have no limit at all.
 */

/** Some tens of megabytes are filled in this time. */
const WATCH_EVERY_MS = 20
/** A process with more than this part of its limit at the end of a file would count it against the next one. */
const WORN_SHARE = 0.3
/** As long as the host may take to hear the last message. */
const LAST_WORDS_MS = 2_000

/** Where the system ends a process with more than this part of its limit, it has run out of memory for the file. */
const GROWN_SHARE = 0.6

// Linux ends this one first where memory is short, rather than the host.
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
    if (process.memoryUsage.rss() > maxBytes * WORN_SHARE) tell({ type: 'worn' })
  }
  tell(message)
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
        tell({ type: 'grown' })
      }
    }, WATCH_EVERY_MS)
  }
  thread.postMessage(message)
})
// A host that was killed says nothing, but its end of the channel closes.
process.on('disconnect', end)
if (!process.connected) end()
// A signal for the terminal's whole group is the host's to answer.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

function tell(message: ProcessMessage): void {
  process.send?.(message)
}

function die(cause: 'memory' | 'crash'): void {
  if (isDying) return
  isDying = true
  clearInterval(watch)
  void thread.terminate()
  setTimeout(end, LAST_WORDS_MS)
  process.send?.({ type: 'died', cause } satisfies ProcessMessage, end)
}

/** At once: an orderly exit would wait for the thread. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

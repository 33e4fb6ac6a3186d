import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ExtractionLimits } from '../extraction-limits.js'
import type { Arrival, FromProcess, ToProcess } from './extraction-protocol.js'

const STARTER = fileURLToPath(new URL('./extraction-starter.js', import.meta.url))
/** All that the processes see of the host's environment: what Node may need to start and to find packages. */
const INHERITED_ENVIRONMENT = ['NODE_OPTIONS', 'SystemRoot']

/** The host's end of the process that starts those in which files are read. */
export class ProcessStarter {
  readonly #child: ChildProcess
  readonly #listeners = new Map<number, (arrival: Arrival) => void>()
  #lastId = 0
  #busy = 0

  /** @param worker the module of the thread that reads: it answers `HostMessage`s by `WorkerMessage`s */
  constructor(limits: ExtractionLimits, worker: URL) {
    this.#child = fork(STARTER, [worker.href, JSON.stringify(limits)], {
      env: Object.fromEntries(INHERITED_ENVIRONMENT.map((name) => [name, process.env[name]])),
      // It passes pieces on, which are garbage at once: 90 MB instead of 105, at the same speed.
      execArgv: ['--max-semi-space-size=1'],
      serialization: 'advanced',
      // What libraries say of broken files is not the host's to read.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (message) => {
      const { id, arrival } = message as FromProcess
      this.#listeners.get(id)?.(arrival)
    })
    this.#child.on('error', (error) => {
      this.#gone(error.message)
    })
    this.#child.on('exit', (code, signal) => {
      this.#gone(`with what started it, ${String(signal ?? code)}`)
    })
    this.#child.unref()
    this.#child.channel?.unref()
  }

  get isGone(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /**
   * Starts a process.
   * @param onArrival hears what it says and, last of all, that it is gone
   * @returns its number
   */
  start(onArrival: (arrival: Arrival) => void): number {
    this.#lastId += 1
    const id = this.#lastId
    this.#listeners.set(id, (arrival) => {
      if (arrival.type === 'gone') this.#listeners.delete(id)
      onArrival(arrival)
    })
    this.post(id, { type: 'start' })
    return id
  }

  post(id: number, message: ToProcess['message']): void {
    // A channel that is closed is heard of by the end of the process.
    this.#child.send({ id, message } satisfies ToProcess, () => undefined)
  }

  /** Keeps the host alive, until {@link unref} was called as often. */
  ref(): void {
    this.#busy += 1
    this.#child.ref()
    this.#child.channel?.ref()
  }

  unref(): void {
    this.#busy -= 1
    if (this.#busy > 0) return
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** What it has started ends with it. */
  async close(): Promise<void> {
    if (this.isGone) return
    this.#child.ref()
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }

  /** Of no file's making. */
  #gone(how: string): void {
    for (const listener of [...this.#listeners.values()]) listener({ type: 'gone', how })
  }
}

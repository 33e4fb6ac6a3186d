import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ExtractionLimits } from '../extraction-limits.js'
import type { Arrival, FromProcess, ToProcess } from './extraction-protocol.js'

const STARTER = fileURLToPath(new URL('./extraction-starter.js', import.meta.url))
/** The only environment variables that the processes inherit: Node may need them to start and to find packages. */
const INHERITED_ENVIRONMENT = ['NODE_OPTIONS', 'SystemRoot']

/** The host's side of the process that starts the reading processes. */
export class ProcessStarter {
  readonly #child: ChildProcess
  readonly #listeners = new Map<number, (arrival: Arrival) => void>()
  #lastId = 0
  #busy = 0

  /** @param worker the module of the reading thread, which answers `HostMessage`s by `WorkerMessage`s */
  constructor(limits: ExtractionLimits, worker: URL) {
    this.#child = fork(STARTER, [worker.href, JSON.stringify(limits)], {
      env: Object.fromEntries(INHERITED_ENVIRONMENT.map((name) => [name, process.env[name]])),
      // The starter only forwards pieces, which are garbage at once: 90 MB instead of 105, at the same speed.
      execArgv: ['--max-semi-space-size=1'],
      serialization: 'advanced',
      // The output of libraries about broken files must not appear in the host's output.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (message) => {
      const { id, arrival } = message as FromProcess
      this.#listeners.get(id)?.(arrival)
    })
    this.#child.on('error', (error) => {
      this.#reportEnd(error.message)
    })
    this.#child.on('exit', (code, signal) => {
      this.#reportEnd(`together with its starter, ${String(signal ?? code)}`)
    })
    this.#child.unref()
    this.#child.channel?.unref()
  }

  get hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /**
   * Starts a process.
   * @param onArrival gets its messages and, as the last one, its end
   * @returns the number of the process
   */
  start(onArrival: (arrival: Arrival) => void): number {
    this.#lastId += 1
    const id = this.#lastId
    this.#listeners.set(id, (arrival) => {
      if (arrival.type === 'ended') this.#listeners.delete(id)
      onArrival(arrival)
    })
    this.post(id, { type: 'start' })
    return id
  }

  post(id: number, message: ToProcess['message']): void {
    // Ignores a closed channel: the end of the process is reported anyway.
    this.#child.send({ id, message } satisfies ToProcess, () => undefined)
  }

  /** Keeps the host alive until {@link unref} was called as often. */
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

  /** Ends the starter, and with it all processes that it has started. */
  async close(): Promise<void> {
    if (this.hasEnded) return
    this.#child.ref()
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }

  /** Reports the end of the starter as the end of all processes. No file has caused it. */
  #reportEnd(exit: string): void {
    for (const listener of [...this.#listeners.values()]) listener({ type: 'ended', exit })
  }
}

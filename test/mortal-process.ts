import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

export interface MortalProcessOptions {
  /** The program of the process, run by tsx. It sends a message when it is ready, and others `{ done }` with what it counts. */
  readonly script: string
  readonly args: readonly string[]
  /** Shortest and longest life, in ms; without it it is not killed. */
  readonly killEveryMs: readonly [number, number] | undefined
  readonly random: () => number
}

/** A process that is killed again and again, and started again, if it is to be. */
export class MortalProcess {
  /** The last one included, which is ended like the others. */
  killed = 0
  /** What it has done, as far as it told before it was killed. */
  done = 0
  readonly #options: MortalProcessOptions
  #child: ChildProcess | undefined
  #isStopped = false
  #running: Promise<void> | undefined
  #isReady: () => void = () => undefined
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#isReady = resolve
  })

  constructor(options: MortalProcessOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#child?.kill('SIGKILL')
    await this.#running
  }

  async #run(): Promise<void> {
    const { script, args, killEveryMs, random } = this.#options
    while (!this.#isStopped) {
      const child = fork(script, args, { execArgv: ['--import', 'tsx'] })
      this.#child = child
      child.on('message', (message: { readonly done?: number }) => {
        this.done += message.done ?? 0
      })
      const ended = once(child, 'exit')
      await Promise.race([once(child, 'message'), ended])
      this.#isReady()
      if (killEveryMs === undefined) {
        await ended
        continue
      }
      const [least, most] = killEveryMs
      await Promise.race([ended, setTimeout(least + (most - least) * random())])
      child.kill('SIGKILL')
      await ended
      this.killed += 1
    }
  }
}

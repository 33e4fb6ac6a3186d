import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { childProgram } from './child-program.js'
import type { Kills } from './kills.js'

export interface MortalProcessOptions {
  /** The program of the process. It sends a message when it is ready, and then `{ done }` messages with its counts. */
  readonly script: string
  readonly args: readonly string[]
  /** Shortest and longest life, in ms; without it nothing kills the process. */
  readonly killEveryMs: readonly [number, number] | undefined
  /** Number of kills, after which the process lives until it is stopped. Default: no limit. */
  readonly mostKills?: number | undefined
  /** The kills that it shares with other processes. After each, it starts again once the data was examined. */
  readonly kills?: Kills
  /** Gets each message of the process. */
  readonly onMessage?: (message: unknown) => void
  readonly random: () => number
}

/** A process that is killed and restarted repeatedly, if it has a limited life. */
export class MortalProcess {
  /** Includes the last process, which is stopped like the others. */
  killed = 0
  /** Its exit if it ended by itself, which is an error. */
  readonly deaths: string[] = []
  /** The counts that it reported before it was killed. */
  done = 0
  readonly #options: MortalProcessOptions
  #child: ChildProcess | undefined
  #isStopped = false
  #running: Promise<void> | undefined
  #isReady: () => void = () => undefined
  #fail: (error: unknown) => void = () => undefined
  readonly ready: Promise<void> = new Promise((resolve, reject) => {
    this.#isReady = resolve
    this.#fail = reject
  })

  constructor(options: MortalProcessOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => this.#fail(error))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#child?.kill('SIGKILL')
    await this.#running
  }

  async #run(): Promise<void> {
    const { script, args, killEveryMs, mostKills = Number.POSITIVE_INFINITY, kills, onMessage, random } = this.#options
    const program = await childProgram(script)
    while (!this.#isStopped) {
      const child = fork(program, args, { execArgv: [] })
      this.#child = child
      child.on('message', (message: { readonly done?: number }) => {
        this.done += message.done ?? 0
        onMessage?.(message)
      })
      const ended = once(child, 'exit')
      await Promise.race([once(child, 'message'), ended])
      this.#isReady()
      if (killEveryMs !== undefined && this.killed < mostKills && (kills?.take() ?? true)) {
        const [least, most] = killEveryMs
        await Promise.race([ended, setTimeout(least + (most - least) * random())])
        child.kill('SIGKILL')
      }
      await ended
      if (child.signalCode !== 'SIGKILL')
        this.deaths.push(`a process ended by itself with ${child.signalCode ?? child.exitCode ?? ''}`)
      else if (killEveryMs !== undefined) await this.#countKill(kills)
    }
  }

  async #countKill(kills: Kills | undefined): Promise<void> {
    this.killed += 1
    // The end of the last process is no kill of the test.
    if (!this.#isStopped) await kills?.killed()
  }
}

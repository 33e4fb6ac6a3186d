import { runAlcove, startAlcove } from '../../adapters/cli/run-alcove.js'

/** The answer of a server. */
export interface Answer {
  /** 0 if the connection broke. */
  readonly status: number
  readonly body: unknown
  readonly ms: number
}

const START_MS = 60_000
const POLL_MS = 200

/** `alcove serve` on a data folder, in a process of its own, with one context. */
export class ServedFolder {
  readonly address: string
  readonly pid: number
  readonly #token: string
  readonly #stop: () => Promise<number | null>
  readonly #stderr: () => string
  #contextId = 0

  private constructor(
    address: string,
    pid: number,
    token: string,
    process: Pick<ServedFolder, 'stderr'> & { stop(): Promise<number | null> },
  ) {
    this.address = address
    this.pid = pid
    this.#token = token
    this.#stop = () => process.stop()
    this.#stderr = () => process.stderr
  }

  /** Initialises the folder, serves it and creates the context. */
  static async start(dataDir: string, cwd: string, args: readonly string[] = []): Promise<ServedFolder> {
    const env = { ALCOVE_DATA_DIR: dataDir }
    const { stdout: made, stderr: problem } = await runAlcove(['init', '--json', ...args], { cwd, env })
    if (made === '') throw new Error(problem)
    const { clientId, clientSecret } = JSON.parse(made) as { readonly clientId: string; readonly clientSecret: string }
    const { child, outcome, stdout, stderr } = startAlcove(['serve', '--port', '0', ...args], { cwd, env })
    await until(() => stdout().includes('\n'), START_MS)
    const address = /http:\/\/[\d.:]+/.exec(stdout())?.[0] ?? ''
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const body = new URLSearchParams({ ...form, target_app: 'assistant' })
    const answer = await (await fetch(`${address}/connect/token`, { method: 'POST', body })).json()
    const stop = async (): Promise<number | null> => {
      child.kill('SIGTERM')
      return (await outcome).exitCode
    }
    const token = (answer as { readonly access_token: string }).access_token
    const served = new ServedFolder(address, child.pid ?? 0, token, {
      stop,
      get stderr() {
        return stderr()
      },
    })
    const context = { name: 'Lamps', description: '', caption: '', toolsJson: '[]' }
    const { body: created } = await served.send('/context', 'POST', JSON.stringify(context))
    served.#contextId = (created as { readonly id: number }).id
    return served
  }

  get stderr(): string {
    return this.#stderr()
  }

  async send(path: string, method = 'GET', body?: string | FormData): Promise<Answer> {
    const startedAt = performance.now()
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` }
    if (typeof body === 'string') headers['content-type'] = 'application/json'
    try {
      const response = await fetch(this.address + path, { method, headers, ...(body !== undefined && { body }) })
      const text = await response.text()
      return { status: response.status, body: parsed(text), ms: Math.round(performance.now() - startedAt) }
    } catch (error) {
      return { status: 0, body: String(error), ms: Math.round(performance.now() - startedAt) }
    }
  }

  async upload(name: string, text: string): Promise<Answer> {
    const form = new FormData()
    form.append('file', new Blob([text]), name)
    return await this.send(`/context/upload/${this.#contextId}`, 'POST', form)
  }

  async search(prompt: string): Promise<Answer> {
    return await this.send(`/context/relevant-docs/${this.#contextId}`, 'POST', JSON.stringify({ prompt }))
  }

  /** The document with the name, with the reason for which it waits; undefined if there is none. */
  async document(name: string): Promise<ServedDocument | undefined> {
    const { body } = await this.send(`/context/documents/${this.#contextId}`)
    const found = Array.isArray(body)
      ? (body as ServedDocument[]).find(({ originalName }) => originalName === name)
      : undefined
    if (found === undefined) return undefined
    return (await this.send(`/context/documents/${this.#contextId}/${found.id}`)).body as ServedDocument
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    return await this.#stop()
  }
}

export interface ServedDocument {
  readonly id: number
  readonly originalName: string
  readonly completed: string | null
  readonly error: string | null
  readonly waiting: string | null
}

/** Waits until a condition holds. @returns false if it does not within this time */
export async function until(holds: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return true
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

import { join } from 'node:path'
import { createHttpHandler, type HttpHandlerOptions, serveHttp } from '../../../adapters/http-server/index.js'
import { type LocalEngineOptions, openLocalEngine } from '../../../adapters/local/index.js'
import {
  MemoryClock,
  MemoryEmbeddingModel,
  MemoryPasswordHasher,
  MemoryTelemetry,
} from '../../../adapters/memory/index.js'
import type { Engine, ErrorReason, InitializeResult, NewContext } from '../../../src/index.js'
import type { EmbeddingModel } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Answer, checkAnswer } from './check-answer.js'

/** Members of a problem document. */
export interface Problem {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly code: string
  readonly field?: string
  readonly reason?: ErrorReason
}

export interface RequestOptions {
  readonly token?: string | undefined
  readonly json?: unknown
  readonly form?: Record<string, string> | URLSearchParams
  readonly body?: NonNullable<RequestInit['body']>
  readonly headers?: Record<string, string>
  /** True if the answer is checked against the description; default true. */
  readonly isDescribed?: boolean
}

/** The engine on SQLite and LanceDB, served by `node:http`. */
export interface TestServer {
  readonly url: string
  readonly dataDir: string
  readonly engine: Engine
  readonly clock: MemoryClock
  readonly telemetry: MemoryTelemetry
  /** The first API key. */
  readonly key: InitializeResult
  request<Body = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<Body>>
  /** A token of the first key, or of the given one. */
  token(target: 'assistant' | 'tenant', key?: KeyPair, accountId?: number): Promise<string>
  close(): Promise<void>
}

interface KeyPair {
  readonly clientId: string
  readonly clientSecret: string
}

export const NEW_CONTEXT: NewContext = {
  name: 'Handbook',
  description: 'Answer from the staff handbook.',
  caption: 'HR questions',
  toolsJson: '[]',
}

export async function startServer(
  options: HttpHandlerOptions = {},
  embeddingModel: EmbeddingModel = new MemoryEmbeddingModel(),
  overrides: Partial<LocalEngineOptions> = {},
): Promise<TestServer> {
  const folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const clock = new MemoryClock(new Date())
  const telemetry = new MemoryTelemetry()
  const engine = await openLocalEngine({
    dataDir,
    clock,
    telemetry,
    embeddingModels: [embeddingModel],
    initial: { companyName: 'Root', ownerEmail: 'boss@example.com' },
    // A hash of Argon2 takes longer than most requests.
    passwordHasher: new MemoryPasswordHasher(),
    ...overrides,
  })
  const key = await engine.initialize()
  const server = await serveHttp(createHttpHandler(engine, { telemetry, ...options }), { port: 0 })
  const url = server.address + (options.basePath ?? '')
  const request = async <Body>(method: string, path: string, given: RequestOptions = {}): Promise<Answer<Body>> => {
    const response = await fetch(url + path, toInit(method, given))
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    const body = (isJson ? JSON.parse(text) : text) as Body
    const answer = { status: response.status, headers: response.headers, body }
    if (given.isDescribed ?? true) checkAnswer(method, path, answer)
    return answer
  }
  return {
    url,
    dataDir,
    engine,
    clock,
    telemetry,
    key,
    request,
    token: async (target, { clientId, clientSecret } = key, accountId) => {
      const form = {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        target_app: target,
        ...(accountId !== undefined && { account_id: String(accountId) }),
      }
      const { status, body } = await request<{ access_token: string }>('POST', '/connect/token', { form })
      if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`)
      return body.access_token
    },
    close: async () => {
      await server.close()
      await engine.close()
      await folder.remove()
    },
  }
}

function toInit(method: string, options: RequestOptions): RequestInit {
  const { token, json, form, body, headers = {} } = options
  return {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form !== undefined && { body: new URLSearchParams(form) }),
    ...(body !== undefined && { body }),
  }
}

/** A form with one file. */
export function fileForm(name: string, content: string | Uint8Array<ArrayBuffer>, field = 'file'): FormData {
  const form = new FormData()
  form.append(field, new Blob([content]), name)
  return form
}

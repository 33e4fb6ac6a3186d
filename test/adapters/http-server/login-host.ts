import {
  type Authenticate,
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
} from '../../../adapters/http-server/index.js'
import { MemoryEmbeddingModel, MemoryTelemetry } from '../../../adapters/memory/index.js'
import type { Context, Principal } from '../../../src/index.js'
import type { EmbeddingModel } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine } from '../../src/engine/memory-engine.js'
import { NEW_CONTEXT, type Problem } from './server.js'

interface Given {
  readonly user?: string
  readonly token?: string
  readonly json?: unknown
  readonly body?: FormData
  readonly context?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface Answer<Body> {
  readonly status: number
  readonly body: Body
  readonly headers: Headers
}

/** A host whose users log in by a cookie, and its engine in memory. */
export class LoginHost {
  readonly memory: MemoryEngine
  telemetry: MemoryTelemetry = new MemoryTelemetry()
  /** Users by the name in their cookie. */
  principals: Readonly<Record<string, Principal>> = {}
  #users = 0

  private constructor(memory: MemoryEngine) {
    this.memory = memory
  }

  static async open(model: EmbeddingModel = new MemoryEmbeddingModel()): Promise<LoginHost> {
    return new LoginHost(await memoryEngine({ embeddingModels: [model], limits: { searchesPerKey: 1 } }))
  }

  /** Gives the next test two new users, and an empty log. */
  async renew(): Promise<void> {
    this.telemetry = new MemoryTelemetry()
    this.principals = { ada: await this.#newPrincipal(), bo: await this.#newPrincipal() }
  }

  idOf(name: string): number {
    return this.principals[name]?.userId ?? 0
  }

  /** The login: the cookie names the user. */
  readonly byCookie: Authenticate = (request) =>
    this.principals[/user=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '']

  handler(authenticate: Authenticate = this.byCookie, options: HttpHandlerOptions = {}): HttpHandler {
    return createHttpHandler(this.memory.engine, { authenticate, telemetry: this.telemetry, ...options })
  }

  /** A token of a new key of the owner. */
  async newToken(): Promise<string> {
    const { administration, authentication, owner } = this.memory.engine
    const { companyId, userId } = owner
    const { clientId, clientSecret } = await administration.apiKeys.create({ companyId, userId })
    return (await authentication.issueToken({ clientId, clientSecret, targetApp: 'assistant' })).access_token
  }

  async #newPrincipal(): Promise<Principal> {
    const { administration, owner } = this.memory.engine
    const { companyId, accountId } = owner
    this.#users += 1
    const { id } = await administration.users.add({ email: `user-${this.#users}@example.com`, companyId })
    return { companyId, accountId, userId: id }
  }
}

/** Sends a request straight to a handler. */
export async function send<Body = Problem>(
  handler: HttpHandler,
  method: string,
  path: string,
  { user, token, json, body, context, headers: others }: Given = {},
): Promise<Answer<Body>> {
  const headers = {
    ...others,
    ...(user !== undefined && { cookie: `theme=dark; user=${user}` }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
  const sent = json === undefined ? body : JSON.stringify(json)
  const request = new Request(`http://localhost${path}`, { method, headers, ...(sent !== undefined && { body: sent }) })
  const response = await handler(request, { remoteAddress: '203.0.113.7', context })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
  }
}

/** @returns its id */
export async function makeContext(handler: HttpHandler, user: string): Promise<number> {
  return (await send<Context>(handler, 'POST', '/context', { user, json: NEW_CONTEXT })).body.id
}

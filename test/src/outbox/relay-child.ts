/**
 * An engine on a database in a process of its own, which kills itself at the named hook: `relay-child.ts DATABASE
 * CA_FILE HOOK ROLES`. It notifies its parent when it is ready, and records the events that the parent sends.
 */
import { readFileSync } from 'node:fs'
import { HttpsTransport } from '../../../dist/adapters/https-transport/index.js'
import { KnexStorage, openPostgres, openSqlite } from '../../../dist/adapters/knex/index.js'
import {
  MemoryCommonPasswords,
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryLexicalIndex,
  MemoryMailer,
  MemoryOneTimePasswords,
  MemoryPasswordHasher,
  MemoryStarterPromptWriter,
  MemoryTextExtractor,
  MemoryTokenSigner,
  MemoryVectorIndex,
} from '../../../dist/adapters/memory/index.js'
import { createEngine, type EngineRole } from '../../../dist/src/index.js'
import type { HttpOutcome, HttpPost } from '../../../dist/src/ports/index.js'
import { HookedStorage, type Moment } from './hooked-storage.js'

/** The points at which the process may be killed. */
export type Hook =
  | 'none'
  | 'record:before-commit'
  | 'record:after-commit'
  | 'claim:after-commit'
  | 'send:after'
  | 'send-3:after'
  | 'outcome:before-commit'

const [, , database = '', caFile = '', hook = 'none', roles = 'relay'] = process.argv

function die(at: Hook): void {
  if (at === hook) process.kill(process.pid, 'SIGKILL')
}

function around(calls: readonly string[], moment: Moment): void {
  if (calls.includes('events.insert')) die(`record:${moment}`)
  if (calls.includes('jobs.claim') && moment === 'after-commit') die('claim:after-commit')
  if (calls.includes('deliveries.endAttempts') && moment === 'before-commit') die('outcome:before-commit')
}

class DeadlyTransport extends HttpsTransport {
  #sent = 0
  #untold = 0

  override async post(post: HttpPost, options?: { readonly signal?: AbortSignal }): Promise<HttpOutcome> {
    const outcome = await super.post(post, options)
    this.#sent += 1
    this.#untold += 1
    die('send:after')
    if (this.#sent === 3) die('send-3:after')
    return outcome
  }

  /** Requests since the last call. */
  count(): number {
    const untold = this.#untold
    this.#untold = 0
    return untold
  }
}

const transport = new DeadlyTransport({
  allow: ['127.0.0.0/8'],
  certificateAuthorities: [readFileSync(caFile, 'utf8')],
})
const engine = await createEngine({
  storage: new HookedStorage(
    new KnexStorage({ knex: database.startsWith('postgres') ? openPostgres(database) : openSqlite(database) }),
    (_call, go) => go(),
    around,
  ),
  vectorIndex: new MemoryVectorIndex(),
  lexicalIndex: new MemoryLexicalIndex(),
  embeddingModels: [new MemoryEmbeddingModel()],
  textExtractor: new MemoryTextExtractor(),
  fileStore: new MemoryFileStore(),
  starterPromptWriter: new MemoryStarterPromptWriter(),
  tokenSigner: new MemoryTokenSigner(),
  passwordHasher: new MemoryPasswordHasher(),
  commonPasswords: new MemoryCommonPasswords(),
  oneTimePasswords: new MemoryOneTimePasswords(),
  mailer: new MemoryMailer(),
  httpTransport: transport,
  // The test's own engine has the same value.
  secretKey: new Uint8Array(32).fill(7),
  roles: roles.split(',').filter((role) => role !== '') as EngineRole[],
})

process.on('message', (agentId: number) => {
  const { companyId } = engine.owner
  void engine.events
    .record({ type: 'agent.deleted', data: { agentId }, companyId })
    .then((event) => process.send?.({ recorded: event.id }))
})
setInterval(() => process.send?.({ done: transport.count() }), 250).unref()
process.on('disconnect', () => void engine.close())
process.send?.('ready')

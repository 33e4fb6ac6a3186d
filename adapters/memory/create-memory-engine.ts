import { createEngine, type Engine, type EngineOptions } from '../../src/index.js'
import type { HttpPost, Mail } from '../../src/ports/index.js'
import { MemoryEmbeddingModel } from './memory-embedding-model.js'
import { MemoryFileStore } from './memory-file-store.js'
import { MemoryStarterPromptWriter } from './memory-host.js'
import { MemoryHttpTransport } from './memory-http-transport.js'
import { MemoryLexicalIndex } from './memory-lexical-index.js'
import {
  MemoryCommonPasswords,
  MemoryMailer,
  MemoryOneTimePasswords,
  MemoryPasswordHasher,
  MemoryTokenSigner,
} from './memory-security.js'
import { MemoryStorage } from './memory-storage.js'
import { MemoryTextExtractor } from './memory-text-extractor.js'
import { MemoryVectorIndex } from './memory-vector-index.js'

const KEY_BYTES = 32

/** An engine whose parts are in memory, with what it sent to the outside. */
export interface MemoryEngine extends Engine {
  /** The mails that the engine has sent, the oldest first. Empty with a `mailer` of the caller. */
  readonly mails: readonly Mail[]
  /** The requests to receivers of events, the oldest first. Empty with an `httpTransport` of the caller. */
  readonly requests: readonly HttpPost[]
}

/**
 * Opens an engine for the tests of a host: every part is in memory. It needs no folder, no native part and no network,
 * opens in milliseconds, and forgets everything when it is closed.
 *
 * - It reads `.txt` and `.md`. Texts are similar if they have words in common, always by the same numbers.
 * - It sends nothing: `mails` and `requests` of the result have what would have been sent.
 * - It has the clock of the system. `clock: new MemoryClock()` stands still.
 *
 * @param options other parts and settings. Default: none
 * @throws InvalidInputError for an option that is not valid
 */
export async function createMemoryEngine(options: Partial<EngineOptions> = {}): Promise<MemoryEngine> {
  const mailer = new MemoryMailer()
  const httpTransport = new MemoryHttpTransport()
  const engine = await createEngine({
    storage: new MemoryStorage(),
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
    mailer,
    httpTransport,
    secretKey: new Uint8Array(KEY_BYTES).fill(1),
    // Nobody else can reach a storage in memory.
    isAlone: options.storage === undefined,
    ...options,
  })
  return Object.assign(engine, { mails: mailer.sent, requests: httpTransport.requests })
}

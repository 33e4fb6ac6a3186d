import {
  MemoryClock,
  MemoryCommonPasswords,
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryHttpTransport,
  MemoryLexicalIndex,
  MemoryMailer,
  MemoryOneTimePasswords,
  MemoryPasswordHasher,
  MemoryStarterPromptWriter,
  MemoryStorage,
  MemoryTelemetry,
  MemoryTextExtractor,
  MemoryTokenSigner,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import { createEngine, type Engine, type EngineOptions, type NewContext, type Session } from '../../../src/index.js'

/** An engine in memory, and its ports. */
export interface MemoryEngine {
  readonly engine: Engine
  readonly session: Session
  readonly storage: MemoryStorage
  readonly vectorIndex: MemoryVectorIndex
  readonly lexicalIndex: MemoryLexicalIndex
  readonly fileStore: MemoryFileStore
  readonly clock: MemoryClock
  readonly telemetry: MemoryTelemetry
  readonly mailer: MemoryMailer
  readonly httpTransport: MemoryHttpTransport
}

export async function memoryEngine(overrides: Partial<EngineOptions> = {}): Promise<MemoryEngine> {
  const storage = new MemoryStorage()
  const vectorIndex = new MemoryVectorIndex()
  const lexicalIndex = new MemoryLexicalIndex()
  const fileStore = new MemoryFileStore()
  const clock = new MemoryClock()
  const telemetry = new MemoryTelemetry()
  const mailer = new MemoryMailer()
  const httpTransport = new MemoryHttpTransport()
  const engine = await createEngine({
    storage,
    vectorIndex,
    lexicalIndex,
    embeddingModels: [new MemoryEmbeddingModel()],
    textExtractor: new MemoryTextExtractor(),
    fileStore,
    tokenSigner: new MemoryTokenSigner(),
    passwordHasher: new MemoryPasswordHasher(),
    commonPasswords: new MemoryCommonPasswords(),
    oneTimePasswords: new MemoryOneTimePasswords(),
    mailer,
    httpTransport,
    secretKey: new Uint8Array(32).fill(7),
    starterPromptWriter: new MemoryStarterPromptWriter(),
    clock,
    telemetry,
    ...overrides,
  })
  const session = engine.as(engine.owner)
  return { engine, session, storage, vectorIndex, lexicalIndex, fileStore, clock, telemetry, mailer, httpTransport }
}

/** The input of a new context for tests that do not depend on it. */
export const NEW_CONTEXT: NewContext = {
  name: 'Handbook',
  description: 'Answer from the staff handbook.',
  caption: 'HR questions',
  toolsJson: '[]',
}

/** @returns the id of a new context of these texts, and of three about other things */
export async function contextOfTexts(session: Session, texts: readonly string[]): Promise<number> {
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const others = ['The canteen opens at noon.', 'Badges are renewed each year.', 'Six lifts and a roof garden.']
  for (const text of [...texts, ...others]) await uploadText(session, id, 'text.txt', text)
  return id
}

/**
 * Uploads a text and waits until it is searchable.
 * @returns its UUID
 */
export async function uploadText(session: Session, contextId: number, fileName: string, text: string): Promise<string> {
  const uuid = await session.documents.upload(contextId, { fileName, content: Buffer.from(text) })
  await session.documents.whenProcessed(uuid)
  return uuid
}

import assert from 'node:assert/strict'
import {
  type ContextRecord,
  type DestinationRecord,
  type DocumentRecord,
  type DocumentRepository,
  type DocumentVisibility,
  type NewChunk,
  NO_GAPS,
  NO_PLACE,
  type Repositories,
  type WordVisibility,
} from '../../../src/ports/index.js'

export const NOW = '2026-01-02T03:04:05.678Z'
export const LATER = '2026-01-02T03:04:06.000Z'

/** The members of a new destination with the signature and the retries of the specification. */
export const PLAIN_DESTINATION: Omit<DestinationRecord, 'id' | 'companyId' | 'url'> = {
  name: null,
  eventTypes: null,
  includeDescendants: false,
  signatureScheme: 'service',
  retry: 'standard',
  sealedSecret: 'v1:sealed',
  previousSealedSecret: null,
  previousSecretExpires: null,
  disabledReason: null,
  failingSince: null,
  failureReported: null,
  created: NOW,
  updated: NOW,
}

/** A company with an account, a user and a role. Contexts and permissions refer to them. */
export interface Seed {
  readonly companyId: number
  readonly accountId: number
  readonly userId: number
  readonly roleId: number
}

export async function seedCompany(repositories: Repositories, name = 'Root'): Promise<Seed> {
  const company = await repositories.companies.insert({ name, parentId: null, created: NOW })
  const region = await repositories.regions.ensure('local')
  const account = await repositories.accounts.insert({
    companyId: company.id,
    application: 'assistant',
    regionId: region.id,
    name,
    isActive: true,
    created: NOW,
  })
  const email = `${name.toLowerCase()}-${company.id}@example.com`
  const user = await repositories.users.insert({
    companyId: company.id,
    email,
    emailKey: email,
    externalId: null,
    firstName: 'Ada',
    lastName: 'L',
    name: 'Ada L',
    created: NOW,
    lastAccess: null,
    passwordHash: null,
  })
  const role = await repositories.roles.insert({
    companyId: null,
    name: 'Member',
    applications: ['assistant'],
    capabilities: ['context:read', 'search'],
  })
  return { companyId: company.id, accountId: account.id, userId: user.id, roleId: role.id }
}

export async function seedContext({ contexts }: Repositories, seed: Seed, name = 'Handbook'): Promise<ContextRecord> {
  return await contexts.insert({
    accountId: seed.accountId,
    userId: seed.userId,
    name,
    description: 'Ünïcode 東京 👩‍👩‍👧‍👦',
    caption: '',
    toolsJson: '[]',
    starterPrompts: ['one', 'two "quoted"'],
    embeddingModel: 'memory',
    maxSizeBytes: 104_857_600,
    topN: 5,
    scoreThreshold: 0.25,
    chunkSizeTokens: 1_000,
    overlap: 0.2,
    shareState: 0,
    searchMode: 'hybrid',
    findsEarly: true,
    icon: null,
    generation: 0,
    lastGeneration: 0,
    reindexing: null,
    created: NOW,
    deleted: null,
  })
}

export async function seedDocument(
  { documents }: Repositories,
  context: ContextRecord,
  uuid: string,
  changes: Partial<DocumentRecord> = {},
): Promise<DocumentRecord> {
  return await documents.insert({
    uuid,
    contextId: context.id,
    originalName: 'report.pdf',
    nameIndex: 0,
    replaces: null,
    generation: null,
    displayName: null,
    metadata: {},
    contentType: 'application/pdf',
    contentHash: 'ab'.repeat(32),
    sizeBytes: 1_000,
    chunkCount: 0,
    created: NOW,
    createdBy: context.userId,
    started: null,
    completed: null,
    error: null,
    receipt: null,
    wordsVersion: null,
    embeddedChunks: 0,
    excessBytes: 0,
    deleted: null,
    ...changes,
  })
}

export function newChunk(ordinal: number, content = `chunk ${ordinal}`): NewChunk {
  const window = { start: 0, end: content.length, tokens: 2, hash: `window of ${content}` }
  return {
    ordinal,
    content,
    start: ordinal * 100,
    tokens: 2,
    hash: `hash of ${content}`,
    ...NO_PLACE,
    ...NO_GAPS,
    windows: [window],
  }
}

/** Reads which documents of a context a search by words may find. */
export async function wordVisibility(
  documents: DocumentRepository,
  contextId: number,
  rules: WordVisibility,
): Promise<DocumentVisibility> {
  const { byWords } = await documents.searchable(contextId, rules)
  assert.ok(byWords)
  return byWords
}

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

const open = async (options: object): Promise<unknown> => {
  return await openLocalEngine({ dataDir, ...options }).catch((error: unknown) => error)
}

const REMOTE = { model: 'tiny', baseUrl: 'http://127.0.0.1:1/v1' }

/** An option with its refusal. */
const REFUSED: readonly (readonly [object, string])[] = [
  [{ webhook: {} }, 'webhook: unknown option "webhook"; expected one of storage, '],
  [{ isAlone: true }, 'isAlone: openLocalEngine finds this out by itself'],
  [{ limits: { contextsPerCompany: 0 } }, 'limits.contextsPerCompany: must be an integer, 1 or more'],
  [{ limits: { contexts: 1 } }, 'limits.contexts: unknown option "contexts"; expected one of contextsPerCompany, '],
  [{ webhooks: { allow: ['10.0.0.0/33'] } }, 'webhooks.allow: "10.0.0.0/33" must be an address or a network, '],
  [{ webhooks: { deny: 'all' } }, 'webhooks.deny: must be a list of addresses and networks'],
  [{ webhooks: { alow: [] } }, 'webhooks.alow: unknown option "alow"; expected one of allow, deny, '],
  [{ webhooks: { resolver: 1 } }, 'webhooks.resolver: must be a function'],
  [{ webhooks: { certificateAuthorities: ['x'] } }, 'webhooks.certificateAuthorities: must be certificates in PEM'],
  [{ mail: { setupUrl: 'https://example.com' } }, 'mail.setupUrl: must be a web address with {token} in it'],
  [{ mail: { setupURL: '' } }, 'mail.setupURL: unknown option "setupURL"; expected one of setupUrl, writer'],
  [{ initial: { ownerEmail: 'nobody' } }, 'initial.ownerEmail: must be an e-mail address'],
  [{ initial: { name: 'A' } }, 'initial.name: unknown member "name"; expected one of companyName, ownerEmail'],
  [{ remoteModels: [REMOTE, { ...REMOTE, batchSize: 0 }] }, 'remoteModels[1].batchSize: must be an integer from 1 to '],
  [{ remoteModels: [null] }, 'remoteModels[0]: must be an object'],
  [
    { remoteModels: [{ ...REMOTE, url: '' }] },
    'remoteModels[0].url: unknown option "url"; expected one of baseUrl, model, id, apiKey, ',
  ],
  [{ remoteModels: REMOTE }, 'remoteModels: must be a list of models on servers'],
  [{ remoteReranker: {} }, 'remoteReranker.baseUrl: must be a URL'],
  [{ remoteReranker: { baseUrl: 'http://127.0.0.1:9/v1', topN: 5 } }, 'remoteReranker.topN: unknown option "topN"'],
  [
    { remoteReranker: { baseUrl: 'http://127.0.0.1:9/v1' }, reranker: {} },
    'remoteReranker: cannot be given together with reranker',
  ],
  [{ ocr: 'English, please' }, 'ocr: must be codes of languages joined by +, such as eng or eng+deu'],
  [{ ocr: 'eng', textExtractor: {} }, 'ocr: cannot be given together with textExtractor'],
  [{ textRecognizer: {}, textExtractor: {} }, 'textRecognizer: cannot be given together with textExtractor'],
  [{ ocr: 'eng', textRecognizer: {} }, 'ocr: cannot be given together with textRecognizer'],
  [{ modelDirs: './model' }, 'modelDirs: must be a list of folders'],
  [{ deliveryRetentionDays: 0 }, 'deliveryRetentionDays: must be an integer from 1 to 36500'],
  [{ tokenIssuer: 'me' }, 'tokenIssuer: must be a web address'],
  [{ roles: ['ingest', 'all'] }, 'roles: must be a list of roles, which are "ingest", "relay"'],
  [{ roles: [['ingest']] }, 'roles: must be a list of roles, which are "ingest", "relay"'],
  [{ isWorking: 'no' }, 'isWorking: must be true or false'],
  [{ tablePrefix: '1' }, 'tablePrefix: must have 1 to 31 letters'],
  [{ databaseUrl: 'mysql://host/db' }, 'databaseUrl: must be a URL of a PostgreSQL database'],
  [{ databaseUrl: 'postgres://host/db', storage: {} }, 'databaseUrl: cannot be given together with storage'],
  [{ knex: {} }, 'knex: must be an instance of knex'],
  [{ filesUrl: 'https://bucket' }, 'filesUrl: must be a bucket'],
  [{ secretKey: new Uint8Array(16) }, 'the key that secrets are encrypted with must have 32 bytes'],
]

describe('a refused option of openLocalEngine', () => {
  it.each(REFUSED)('%j has an error that names it, and leaves no folder behind', async (options, message) => {
    const error = await open(options)
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_(INVALID_INPUT|SECRET_KEY)$/) as string })
    expect((error as Error).message).toContain(message)
    expect((error as Error).message.indexOf(message)).toBe(0)
    expect(await readdir(folder.path)).toEqual([])
  })

  it('leaves no database behind if a model cannot be opened', async () => {
    expect(await open({ modelDirs: [join(folder.path, 'no-model')] })).toMatchObject({ code: 'ERR_MODEL_MISSING' })
    expect(await readdir(dataDir)).not.toContain('alcove.sqlite')
  })
})

it('says that the data folder, or a folder above it, is a file', async () => {
  await writeFile(dataDir, '')
  for (const [path, message] of [
    [dataDir, `${dataDir} is a file: give a folder for the data`],
    [
      join(dataDir, 'a', 'b'),
      `${dataDir} of the data folder ${join(dataDir, 'a', 'b')} is a file: give a folder for the data`,
    ],
  ] as const) {
    const refused = openLocalEngine({ dataDir: path })
    await expect(refused).rejects.toMatchObject({ code: 'ERR_DATA_DIR_UNUSABLE', message })
  }
})

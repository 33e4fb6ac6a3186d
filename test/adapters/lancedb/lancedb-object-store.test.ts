import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { type MemoryLockTable, MemoryProcessLocks } from '../../../adapters/memory/memory-host.js'
import { clusteredRows, clusteredVector } from '../../clustered-vectors.js'
import { vectorIndexSuite } from '../../conformance/index.js'
import { IS_FULL_FORM } from '../../full-form.js'
import { type S3Server, startS3Server } from '../s3/s3-server.js'

const COLLECTION = { name: 'context-1-model', dimensions: 16 }

let server: S3Server
let folders = 0

beforeAll(async () => {
  // s3rver does not understand the signatures of LanceDB's client.
  server = await startS3Server({ isStrict: false })
})

afterAll(async () => {
  await server.dispose()
})

function open(folder: string, table: MemoryLockTable = new Map(), indexFromRows?: number): LanceDbVectorIndex {
  const { endpoint, region, credentials } = server.options
  return new LanceDbVectorIndex(`s3://${server.bucket}/${folder}`, {
    locks: new MemoryProcessLocks(table),
    storageOptions: {
      endpoint,
      region,
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      allowHttp: 'true',
    },
    ...(indexFromRows !== undefined && { indexFromRows }),
  })
}

async function removeObjects(isRemoved: (key: string) => boolean): Promise<void> {
  const { endpoint, region, credentials } = server.options
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  for (const key of (await server.objects()).filter(isRemoved)) {
    await client.send(new DeleteObjectCommand({ Bucket: server.bucket, Key: key }))
  }
  client.destroy()
}

// The server runs in this process and handles every request of the suite: over a minute.
vectorIndexSuite({ describe: IS_FULL_FORM ? describe : describe.skip, it }, 'LanceDB in an object store', async () => {
  const port = open(`suite-${++folders}`)
  return { port, dispose: async () => await port.close() }
})

describe('two indexes on one folder of an object store', () => {
  it('see the writes of each other at once, create tables one at a time, and lose no rows', async () => {
    const table: MemoryLockTable = new Map()
    const indexes = [open('shared', table), open('shared', table), open('shared', table)]
    const documents = Array.from({ length: 24 }, (_, at) => at + 1)
    await Promise.all(
      documents.map(async (documentId) => {
        await indexes[documentId % 3]?.add(COLLECTION, clusteredRows(documentId, 4, COLLECTION.dimensions))
      }),
    )
    for (const index of indexes) {
      expect(await index.countByDocument(COLLECTION.name)).toEqual(new Map(documents.map((id) => [id, 4])))
    }
    await indexes[0]?.drop(COLLECTION.name)
    expect(await indexes[1]?.listCollections()).toEqual([])
    for (const index of indexes) await index.close()
    expect((await server.objects()).filter((name) => name.startsWith('shared/'))).toEqual([])
  })

  it('report a table that lost its versions as damaged, and take one that was never completed for missing', async () => {
    const query = clusteredVector(1, COLLECTION.dimensions)
    for (const [folder, lost, isDamaged] of [
      ['lost-versions', /_versions/, true],
      ['lost-data', /\/data\//, true],
      ['unfinished', /_versions|\/data\//, false],
    ] as const) {
      const writer = open(folder)
      await writer.add(COLLECTION, clusteredRows(1, 4, COLLECTION.dimensions))
      await writer.close()
      await removeObjects((key) => key.startsWith(`${folder}/`) && lost.test(key))
      const index = open(folder)
      const found = index.search(COLLECTION, query, { limit: 2 })
      if (isDamaged) await expect(found, folder).rejects.toMatchObject({ code: 'ERR_VECTORS_DAMAGED' })
      else expect(await found, folder).toEqual([])
      await index.drop(COLLECTION.name)
      await index.add(COLLECTION, clusteredRows(1, 4, COLLECTION.dimensions))
      expect(await index.search(COLLECTION, query, { limit: 2 }), folder).toHaveLength(2)
      await index.close()
    }
  })

  it.runIf(IS_FULL_FORM)('search with an index that is built in another process', async () => {
    const table: MemoryLockTable = new Map()
    const [one, other] = [open('indexed', table, 300), open('indexed', table, 300)]
    for (let documentId = 1; documentId <= 8; documentId += 1) {
      await one.add(COLLECTION, clusteredRows(documentId, 100, COLLECTION.dimensions))
    }
    await one.whenMaintained()
    expect(one.maintenanceError).toBeUndefined()
    const query = clusteredVector(3, COLLECTION.dimensions)
    const options = { limit: 10 }
    expect(await other.search(COLLECTION, query, options)).toEqual(await one.search(COLLECTION, query, options))
    expect((await server.objects()).some((name) => name.startsWith('indexed/') && name.includes('_indices'))).toBe(true)
    for (const index of [one, other]) await index.close()
  })
})

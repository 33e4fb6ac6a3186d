import { expect, it } from 'vitest'
import { MemoryEmbeddingModel, MemoryFileStore } from '../../../adapters/memory/index.js'
import { StorageFullError } from '../../../src/index.js'
import { NEW_CONTEXT, startServer } from './server.js'

class FullFileStore extends MemoryFileStore {
  override async write(): Promise<never> {
    return await Promise.reject(
      new StorageFullError('the disk with the files is full: free some space, then the work continues'),
    )
  }
}

it('an upload to a full disk gets 503, a code and a time to retry; the quota is free', async () => {
  const server = await startServer({}, new MemoryEmbeddingModel(), { fileStore: new FullFileStore() })
  const session = server.engine.as(server.engine.owner)
  const context = await session.contexts.create(NEW_CONTEXT)
  const body = new FormData()
  body.set('file', new Blob(['a text']), 'a.txt')
  const token = await server.token('assistant')
  const answer = await server.request('POST', `/context/upload/${context.id}`, { token, body })
  expect(answer).toMatchObject({ status: 503, body: { status: 503, code: 'ERR_STORAGE_FULL' } })
  expect(answer.headers.get('retry-after')).toBe('60')
  expect(JSON.stringify(answer.body)).toContain('the disk of the service is full')
  await session.documents.checkRoom(context.id, context.maxSize)
  await server.close()
})

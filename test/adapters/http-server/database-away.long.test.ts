import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel, MemoryHttpTransport, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import { type PostgresServer, startPostgres } from '../../servers/postgres-server.js'
import { NEW_CONTEXT, startServer, type TestServer } from './server.js'

/** Without a server to test with, the run reports that at its start. */
describe.runIf(process.env['ALCOVE_TEST_DATABASE_URL'] !== undefined)(
  'a PostgreSQL server that stops and returns',
  () => {
    let postgres: PostgresServer
    let server: TestServer

    beforeAll(async () => {
      postgres = await startPostgres()
      server = await startServer({}, new MemoryEmbeddingModel(), {
        databaseUrl: postgres.url,
        vectorIndex: new MemoryVectorIndex(),
        httpTransport: new MemoryHttpTransport(),
      })
    })

    afterAll(async () => {
      await server.close()
      await postgres.dispose()
    })

    it('makes requests fail under load, loses nothing acknowledged, and lets all work continue after its return', async () => {
      const token = await server.token('assistant')
      const { id } = await server.engine.as(server.engine.owner).contexts.create(NEW_CONTEXT)
      await server.engine.administration.destinations.create({ url: 'https://hooks.example.com/in', eventTypes: null })
      const { companyId } = server.engine.owner
      const statuses = new Map<number, number>()
      const acknowledged = new Set<string>()
      const recorded = new Set<string>()
      const load = { isOn: true }
      const uploads = async (who: number): Promise<void> => {
        for (let number = 0; load.isOn; number += 1) {
          const body = new FormData()
          const fileName = `${who}-${number}.txt`
          body.set('file', new Blob([`the text of ${fileName}`]), fileName)
          const answer = await server.request('POST', `/context/upload/${id}`, { token, body })
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          if (answer.status === 200) acknowledged.add(fileName)
          else expect(answer).toMatchObject({ status: 503, body: { code: expect.stringMatching(/^ERR_/) as string } })
          await setTimeout(20)
        }
      }
      const events = async (): Promise<void> => {
        for (let agentId = 0; load.isOn; agentId += 1) {
          const recording = server.engine.events.record({ type: 'agent.deleted', data: { agentId }, companyId })
          await recording.then(
            ({ id: eventId }) => recorded.add(eventId),
            (error: unknown) => expect(error).toMatchObject({ code: 'ERR_STORAGE', isTransient: true }),
          )
          await setTimeout(20)
        }
      }
      const loads = [uploads(1), uploads(2), events()]
      await setTimeout(1_000)
      await postgres.stop()
      const before = acknowledged.size
      const began = performance.now()
      expect((await server.request('GET', '/ready', { isDescribed: false })).status).toBe(503)
      const refused = await server.request('GET', `/context/documents/${id}`, { token })
      expect(refused).toMatchObject({ status: 503, body: { code: 'ERR_STORAGE' } })
      // The answer comes at once, not after a time limit.
      expect(performance.now() - began).toBeLessThan(5_000)
      await setTimeout(2_000)
      expect(acknowledged.size).toBeLessThanOrEqual(before + 2)
      await postgres.start()
      // However slow this machine is: uploads succeed again.
      while (acknowledged.size <= before + 2) await setTimeout(20)
      load.isOn = false
      await Promise.all(loads)
      expect([...statuses.keys()].sort()).toEqual([200, 503])

      const session = server.engine.as(server.engine.owner)
      const listed = await session.documents.list(id)
      const documents = await Promise.all(listed.map(({ fileName }) => session.documents.whenProcessed(fileName)))
      expect(documents.map(({ error }) => error).filter((error) => error !== null)).toEqual([])
      const names = new Set(documents.map(({ originalName }) => originalName))
      expect([...acknowledged].filter((name) => !names.has(name))).toEqual([])
      expect(documents).toHaveLength(names.size)
      const { deliveries } = server.engine.administration
      for (;;) {
        const { items } = await deliveries.list({ limit: 500 })
        if (items.every(({ status }) => status === 'succeeded')) {
          const delivered = new Set(items.map(({ eventId }) => eventId))
          expect([...recorded].filter((eventId) => !delivered.has(eventId))).toEqual([])
          break
        }
        await setTimeout(100)
      }
      expect(await server.engine.administration.verify()).toMatchObject({ problems: [] })
      expect((await server.request('GET', '/ready', { isDescribed: false })).status).toBe(200)
    })
  },
)

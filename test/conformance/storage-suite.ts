import assert from 'node:assert/strict'
import type { Repositories, Storage } from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type Subject, type TestRunner } from './harness.js'
import { defineAuditTests } from './storage/storage-audit-tests.js'
import { defineDocumentTests } from './storage/storage-document-tests.js'
import { defineIdentityTests } from './storage/storage-identity-tests.js'
import { defineJobTests } from './storage/storage-job-tests.js'
import { defineListTests } from './storage/storage-list-tests.js'
import { defineMetadataTests } from './storage/storage-metadata-tests.js'
import { defineOffboardingTests } from './storage/storage-offboarding-tests.js'
import { defineOutboxTests } from './storage/storage-outbox-tests.js'
import { definePageTests } from './storage/storage-page-tests.js'
import { defineRateTests } from './storage/storage-rate-tests.js'
import { NOW, seedCompany, seedContext } from './storage/storage-seed.js'
import { defineShadowTests } from './storage/storage-shadow-tests.js'
import { defineOneTimePasswordTests, defineRevokedTokenTests } from './storage/storage-sign-in-tests.js'
import { defineTenancyTests } from './storage/storage-tenancy-tests.js'
import { defineVersionTests } from './storage/storage-version-tests.js'
import { defineWordTests } from './storage/storage-word-tests.js'

/** A transaction that the host started itself, on the database of the storage. */
export interface HostTransaction {
  /** The transaction object that the host passes to the engine. */
  readonly transaction: unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** A storage under test. It may include the function by which a host starts a transaction on its database. */
export interface StorageSubject extends Subject<Storage> {
  readonly beginHostTransaction?: () => Promise<HostTransaction>
}

/** Tests for every Storage. `create` returns a storage that is not open yet. */
export function storageSuite(runner: TestRunner, name: string, create: () => Promise<StorageSubject>): void {
  const createOpen: CreateSubject<Storage> = async () => {
    const subject = await create()
    await subject.port.open()
    return subject
  }
  defineSuite(runner, `Storage: ${name}`, createOpen, (test) => {
    test('accepts repeated and concurrent opens, and keeps its data', async (storage) => {
      const { companyId } = await storage.transaction((repositories) => seedCompany(repositories))
      await storage.open()
      await Promise.all([storage.open(), storage.open()])
      assert.equal((await storage.read(({ companies }) => companies.get(companyId)))?.id, companyId)
    })

    test('measures its tables, if it can', async (storage) => {
      await storage.transaction((repositories) => seedCompany(repositories))
      const size = await storage.measure?.()
      if (size === undefined) return
      // A server may estimate its rows.
      for (const rows of Object.values(size.rows)) assert.ok(Number.isSafeInteger(rows) && rows >= 0, `${rows} rows`)
      assert.ok(['companies', 'documents', 'chunks'].every((table) => table in size.rows))
      assert.ok(size.sizeBytes === undefined || size.sizeBytes > 0)
    })

    test('commits every write of a transaction', async (storage) => {
      const seed = await storage.transaction((repositories) => seedCompany(repositories))
      const found = await storage.read(async ({ companies, users }) => [
        await companies.get(seed.companyId),
        await users.get(seed.userId),
      ])
      assert.ok(found.every((record) => record !== undefined))
    })

    test('rolls back every write of a failed transaction and rethrows the error', async (storage) => {
      const { companyId } = await storage.transaction((repositories) => seedCompany(repositories))
      const failing = storage.transaction(async (repositories) => {
        await repositories.companies.insert({ name: 'Gone', parentId: companyId, created: NOW })
        await repositories.settings.put('key', 'value')
        await seedCompany(repositories, 'Second')
        throw new Error('changed my mind')
      })
      await assert.rejects(failing, /changed my mind/)
      await storage.read(async ({ companies, settings, users }) => {
        assert.equal((await companies.list()).length, 1)
        assert.equal((await users.list()).length, 1)
        assert.equal(await settings.get('key'), undefined)
      })
    })

    test('rolls back updates and deletions too', async (storage) => {
      const seed = await storage.transaction(async (repositories) => {
        const seeded = await seedCompany(repositories)
        await repositories.permissions.insert({ ...permissionOf(seeded) })
        return seeded
      })
      const failing = storage.transaction(async ({ permissions, accounts }) => {
        const [permission] = await permissions.list()
        await permissions.delete(permission?.id ?? 0)
        await accounts.setActive(seed.accountId, false)
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      await storage.read(async ({ permissions, accounts }) => {
        assert.equal((await permissions.list()).length, 1)
        assert.equal((await accounts.get(seed.accountId))?.isActive, true)
      })
    })

    test('never interleaves transactions that write the same record', async (storage) => {
      await storage.transaction(({ settings }) => settings.put('count', '0'))
      const increments = Array.from({ length: 20 }, () =>
        storage.transaction(async ({ settings }) => {
          const count = Number(await settings.get('count'))
          await new Promise((resolve) => setTimeout(resolve, 1))
          await settings.put('count', String(count + 1))
        }),
      )
      await Promise.all(increments)
      assert.equal(await storage.read(({ settings }) => settings.get('count')), '20')
    })

    test('never decides on data that another transaction is changing: only one of ten takes the free place', async (storage) => {
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, who) =>
          storage.transaction(async ({ settings }) => {
            const others = [...Array(10).keys()].filter((other) => other !== who)
            for (const other of others) if ((await settings.get(`place-${other}`)) !== undefined) return false
            await settings.put(`place-${who}`, 'taken')
            return true
          }),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    })

    test('locks a context for one transaction at a time, and each reads what the others committed', async (storage) => {
      await storage.transaction(({ settings }) => settings.put('count', '0'))
      const { id } = await storage.transaction(async (repositories) =>
        seedContext(repositories, await seedCompany(repositories)),
      )
      const increment = async ({ contexts, settings }: Repositories): Promise<void> => {
        await contexts.lock(id)
        const count = Number(await settings.get('count'))
        await new Promise((resolve) => setTimeout(resolve, 1))
        await settings.put('count', String(count + 1))
      }
      await Promise.all(
        Array.from({ length: 20 }, () => storage.transaction(increment, { isolation: 'read committed' })),
      )
      assert.equal(await storage.read(({ settings }) => settings.get('count')), '20')
      await storage.transaction(({ contexts }) => contexts.lock(id + 1))
    })

    test('accepts integers of 53 bits', async (storage) => {
      const huge = Number.MAX_SAFE_INTEGER
      const found = await storage.read(async ({ companies, contexts, documents, permissions }) => [
        await companies.get(huge),
        await contexts.get(huge),
        await documents.get(huge),
        await permissions.get(huge),
      ])
      assert.ok(found.every((record) => record === undefined))
      await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'k', subject: huge, lane: huge, companyId: huge }))
      const [job] = await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['k'], leaseMs: 1_000 }))
      assert.deepEqual([job?.subject, job?.lane, job?.companyId], [huge, huge, huge])
    })

    test('notifies no listener of jobs after it unsubscribes', async (storage) => {
      let heard = 0
      const stop = storage.watchJobs(() => {
        heard += 1
      })
      await stop()
      await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'k', subject: 1 }))
      await new Promise((resolve) => setTimeout(resolve, 50))
      assert.equal(heard, 0)
    })

    test('hides uncommitted writes from reads', async (storage) => {
      let read: Promise<unknown> | undefined
      await storage.transaction(async ({ settings }) => {
        await settings.put('secret', 'half done')
        read = storage.read(async (repositories) => repositories.settings.get('secret'))
        await new Promise((resolve) => setTimeout(resolve, 20))
        await settings.put('secret', 'done')
      })
      const seen = await read
      assert.ok(seen === undefined || seen === 'done', `saw ${String(seen)}`)
    })

    test('works normally after a failed transaction', async (storage) => {
      await assert.rejects(storage.transaction(() => Promise.reject(new Error('first'))))
      await storage.transaction(({ settings }) => settings.put('after', 'yes'))
      assert.equal(await storage.read(({ settings }) => settings.get('after')), 'yes')
    })

    test('assigns ascending ids and never reuses one', async (storage) => {
      const ids: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const id = await storage.transaction(async (repositories) => {
          const seed = await seedCompany(repositories, `C${round}`)
          const permission = await repositories.permissions.insert(permissionOf(seed))
          await repositories.permissions.delete(permission.id)
          return permission.id
        })
        ids.push(id)
      }
      assert.ok(ids[0] !== undefined && ids[0] > 0)
      assert.deepEqual(
        ids,
        [...new Set(ids)].sort((one, other) => one - other),
      )
    })

    // Q3
    test('stores any text unchanged, including SQL operators', async (storage) => {
      const texts = [
        "'; drop table companies; --",
        '% _ \\ " ` \u2028',
        '👩‍👩‍👧‍👦 Ünïcode 日本',
        ' blank at both ends ',
        '',
      ]
      for (const text of texts) {
        await storage.transaction(({ settings }) => settings.put(`key ${text}`, text))
        assert.equal(await storage.read(({ settings }) => settings.get(`key ${text}`)), text)
      }
    })

    test('reports no problem in a quick check or a thorough check of an intact database', async (storage) => {
      await storage.transaction((repositories) => seedCompany(repositories))
      for (const isThorough of [false, true]) assert.deepEqual(await storage.verify({ isThorough }), [])
    })

    test('rejects every call after close, and a second close succeeds', async (storage) => {
      await storage.close()
      await storage.close()
      await rejectsWith('ERR_CLOSED', async () => storage.read(({ companies }) => companies.list()))
      await rejectsWith('ERR_CLOSED', async () => storage.transaction(({ companies }) => companies.list()))
      await rejectsWith('ERR_CLOSED', async () => storage.verify({ isThorough: true }))
    })

    defineTenancyTests(test)
    defineIdentityTests(test)
    defineOffboardingTests(test)
    defineDocumentTests(test)
    defineMetadataTests(test)
    defineListTests(test)
    defineVersionTests(test)
    defineShadowTests(test)
    defineWordTests(test)
    definePageTests(test)
    defineJobTests(test)
    defineRateTests(test)
    defineRevokedTokenTests(test)
    defineAuditTests(test)
    defineOneTimePasswordTests(test)
    defineOutboxTests(test)
  })
  runner.describe(`Storage: ${name}, in a transaction of the host`, () => defineJoinTests(runner, create))
}

function permissionOf({ userId, accountId, roleId }: Awaited<ReturnType<typeof seedCompany>>) {
  const createdBy = '{"id":1,"email":"a@example.com"}'
  return { userId, accountId, roleId, isDisabled: false, created: NOW, createdBy, lastAccess: null }
}

/** Tests of work in a transaction of the host. */
function defineJoinTests(runner: TestRunner, create: () => Promise<StorageSubject>): void {
  const test = (
    name: string,
    body: (storage: Storage, begin: () => Promise<HostTransaction>) => Promise<void>,
  ): void => {
    runner.it(name, async () => {
      const { port, dispose, beginHostTransaction } = await create()
      try {
        await port.open()
        if (beginHostTransaction === undefined) {
          const joining = port.join(
            {},
            async () => undefined,
            () => undefined,
          )
          await rejectsWith('ERR_UNSUPPORTED', joining)
        } else {
          await body(port, beginHostTransaction)
        }
      } finally {
        await dispose()
      }
    })
  }
  const names = async (storage: Storage) =>
    (await storage.read(({ companies }) => companies.list())).map(({ name }) => name)
  const settled = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 20))

  // O6
  test('commits with the transaction of the host and notifies its listener afterwards', async (storage, begin) => {
    const host = await begin()
    let notifications = 0
    const seed = await storage.join(
      host.transaction,
      (repositories) => seedCompany(repositories, 'Joined'),
      () => {
        notifications += 1
      },
    )
    assert.equal(notifications, 0)
    await host.commit()
    await settled()
    assert.equal(notifications, 1)
    assert.deepEqual(await names(storage), ['Joined'])
    assert.ok(seed.companyId > 0)
  })

  // O6
  test('rolls back with the transaction of the host', async (storage, begin) => {
    const host = await begin()
    let notifications = 0
    await storage.join(
      host.transaction,
      (repositories) => seedCompany(repositories, 'Joined'),
      () => {
        notifications += 1
      },
    )
    await host.rollback()
    await settled()
    assert.equal(notifications, 1)
    assert.deepEqual(await names(storage), [])
  })

  test('rolls back only the failed work in a transaction of the host', async (storage, begin) => {
    const host = await begin()
    const ignore = (): void => undefined
    await storage.join(host.transaction, (repositories) => seedCompany(repositories, 'Kept'), ignore)
    const failing = storage.join(
      host.transaction,
      async (repositories) => {
        await seedCompany(repositories, 'Gone')
        throw new Error('changed my mind')
      },
      ignore,
    )
    await assert.rejects(failing, /changed my mind/)
    await host.commit()
    assert.deepEqual(await names(storage), ['Kept'])
  })

  test('rejects a value that is not an open transaction of its database', async (storage, begin) => {
    const join = async (transaction: unknown) =>
      storage.join(
        transaction,
        async () => undefined,
        () => undefined,
      )
    for (const transaction of [null, {}, 'begin', () => undefined])
      await rejectsWith('ERR_INVALID_INPUT', join(transaction))
    const host = await begin()
    await host.commit()
    await rejectsWith('ERR_INVALID_INPUT', join(host.transaction))
  })
}

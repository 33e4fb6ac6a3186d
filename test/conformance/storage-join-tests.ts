import assert from 'node:assert/strict'
import type { Storage } from '../../src/ports/index.js'
import { rejectsWith, type Subject, type TestRunner } from './harness.js'
import { seedCompany } from './storage-seed.js'

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

/** Tests of work in a transaction of the host. */
export function defineJoinTests(runner: TestRunner, create: () => Promise<StorageSubject>): void {
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

  test('O6 commits with the transaction of the host and notifies its listener afterwards', async (storage, begin) => {
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

  test('O6 rolls back with the transaction of the host', async (storage, begin) => {
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

import assert from 'node:assert/strict'
import type { Storage } from '../../src/ports/index.js'
import { rejectsWith, type Subject, type TestRunner } from './harness.js'
import { seedCompany } from './storage-seed.js'

/** A transaction that a host has begun by itself, on the storage's own database. */
export interface HostTransaction {
  /** What the host passes to the engine. */
  readonly transaction: unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** A storage under test, with the host's way to its database where there is one. */
export interface StorageSubject extends Subject<Storage> {
  readonly beginHostTransaction?: () => Promise<HostTransaction>
}

/** Work within a transaction of the host's own. */
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

  test('O6 commits with the transaction of the host, and tells when it is over', async (storage, begin) => {
    const host = await begin()
    let told = 0
    const seed = await storage.join(
      host.transaction,
      (repositories) => seedCompany(repositories, 'Joined'),
      () => {
        told += 1
      },
    )
    assert.equal(told, 0)
    await host.commit()
    await settled()
    assert.equal(told, 1)
    assert.deepEqual(await names(storage), ['Joined'])
    assert.ok(seed.companyId > 0)
  })

  test('O6 rolls back with the transaction of the host', async (storage, begin) => {
    const host = await begin()
    let told = 0
    await storage.join(
      host.transaction,
      (repositories) => seedCompany(repositories, 'Joined'),
      () => {
        told += 1
      },
    )
    await host.rollback()
    await settled()
    assert.equal(told, 1)
    assert.deepEqual(await names(storage), [])
  })

  test('takes back what fails within a transaction of the host, and leaves the rest', async (storage, begin) => {
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

  test('refuses what is no open transaction of its database', async (storage, begin) => {
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

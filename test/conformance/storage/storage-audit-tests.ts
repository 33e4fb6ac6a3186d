import assert from 'node:assert/strict'
import type { AuditFilter, AuditRecord, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { NOW } from './storage-seed.js'

const RECORD: Omit<AuditRecord, 'id'> = {
  time: NOW,
  action: 'permission.created',
  outcome: 'done',
  companyId: 1,
  actorKind: 'user',
  actorUserId: 7,
  actorCompanyId: 1,
  clientId: 'ak_client',
  remoteAddress: '2001:db8::1',
  requestId: 'request-1',
  targetType: 'permission',
  targetId: 9,
  details: { roleId: 3, disabled: false, oldRoleId: null, reason: 'invalid_scope' },
}

function at(second: number): string {
  return new Date(new Date(NOW).getTime() + second * 1_000).toISOString()
}

async function append(storage: Storage, ...records: readonly Partial<AuditRecord>[]): Promise<void> {
  await storage.transaction(async ({ audit }) => {
    for (const record of records) await audit.append({ ...RECORD, ...record })
  })
}

async function targets(storage: Storage, filter: Partial<AuditFilter> = {}): Promise<(number | null)[]> {
  const records = await storage.read(({ audit }) => audit.list({ limit: 100, ...filter }))
  return records.map(({ targetId }) => targetId)
}

/** Tests of the audit trail. */
export function defineAuditTests(test: DefineTest<Storage>): void {
  test('stores every member of an audit entry unchanged, even if it refers to missing records', async (storage) => {
    const nobody = { companyId: null, actorUserId: null, actorCompanyId: null, clientId: null, targetId: null }
    await append(storage, RECORD, { ...nobody, remoteAddress: null, requestId: null, actorKind: 'host', details: {} })
    await append(storage, { companyId: 9_007_199_254_740_991, targetId: 9_007_199_254_740_991 })
    const [huge, bare, full] = await storage.read(({ audit }) => audit.list({ limit: 10 }))
    assert.ok(full !== undefined && bare !== undefined && huge !== undefined)
    assert.deepEqual({ ...full, id: 0 }, { ...RECORD, id: 0 })
    assert.deepEqual(
      { ...bare, id: 0 },
      { ...RECORD, ...nobody, remoteAddress: null, requestId: null, actorKind: 'host', details: {}, id: 0 },
    )
    assert.deepEqual([huge.companyId, huge.targetId], [9_007_199_254_740_991, 9_007_199_254_740_991])
    assert.ok(full.id < bare.id && bare.id < huge.id)
  })

  test('appends many audit entries in one call and keeps their order', async (storage) => {
    const many = Array.from({ length: 250 }, (_, targetId) => ({ ...RECORD, targetId }))
    await storage.transaction(({ audit }) => audit.appendAll(many))
    await storage.transaction(({ audit }) => audit.appendAll([]))
    const found = await storage.read(({ audit }) => audit.list({ limit: 300 }))
    assert.deepEqual(
      found.map(({ id: _id, ...record }) => record),
      many.toReversed(),
    )
  })

  test('lists audit entries with the newest first, page by page and by each filter', async (storage) => {
    await append(
      storage,
      { targetId: 1, time: at(0) },
      { targetId: 2, time: at(1), action: 'user.added', actorUserId: 8 },
      { targetId: 3, time: at(2), companyId: 2 },
      { targetId: 4, time: at(3), companyId: null, actorUserId: null },
    )
    assert.deepEqual(await targets(storage), [4, 3, 2, 1])
    assert.deepEqual(await targets(storage, { limit: 2 }), [4, 3])
    const [, third] = await storage.read(({ audit }) => audit.list({ limit: 2 }))
    assert.deepEqual(await targets(storage, { beforeId: third?.id ?? 0 }), [2, 1])
    assert.deepEqual(await targets(storage, { companyId: 2 }), [3])
    assert.deepEqual(await targets(storage, { action: 'user.added' }), [2])
    assert.deepEqual(await targets(storage, { actorUserId: 7 }), [3, 1])
    assert.deepEqual(await targets(storage, { from: at(1), to: at(3) }), [3, 2])
    assert.deepEqual(await targets(storage, { companyId: 1, action: 'permission.created', from: at(1) }), [])
  })

  test('lists audit entries of a company and of its descendants', async (storage) => {
    const ids = await storage.transaction(async ({ companies }) => {
      const root = await companies.insert({ name: 'Root', parentId: null, created: NOW })
      const child = await companies.insert({ name: 'Child', parentId: root.id, created: NOW })
      const other = await companies.insert({ name: 'Other', parentId: root.id, created: NOW })
      const grandchild = await companies.insert({ name: 'Grandchild', parentId: child.id, created: NOW })
      return [root.id, child.id, other.id, grandchild.id]
    })
    await append(storage, ...ids.map((companyId) => ({ companyId, targetId: companyId })), {
      companyId: null,
      targetId: null,
    })
    const [root = 0, child = 0, other = 0, grandchild = 0] = ids
    assert.deepEqual(await targets(storage, { withinCompanyId: root }), [grandchild, other, child, root])
    assert.deepEqual(await targets(storage, { withinCompanyId: child }), [grandchild, child])
    assert.deepEqual(await targets(storage, { withinCompanyId: child, companyId: other }), [])
    assert.deepEqual(await targets(storage, { withinCompanyId: 999 }), [])
  })

  test('rolls back an audit entry with its transaction', async (storage) => {
    const failing = storage.transaction(async ({ audit }) => {
      await audit.append(RECORD)
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    assert.deepEqual(await targets(storage), [])
  })

  test('removes old audit entries in batches, the oldest first', async (storage) => {
    const times = [at(3), at(0), at(1), at(2)]
    await append(storage, ...times.map((time, index) => ({ time, targetId: index + 1 })))
    const remove = async () => await storage.transaction(({ audit }) => audit.removeOlderThan(at(2), 1))
    assert.equal(await remove(), 1)
    assert.deepEqual(await targets(storage), [4, 3, 1])
    assert.deepEqual([await remove(), await remove()], [1, 0])
    assert.deepEqual(await targets(storage), [4, 1])
  })
}

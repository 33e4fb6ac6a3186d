import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { NEW_CONTEXT } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from './run-alcove-here.js'

// A80, A84, A85, A87
it('disables and deletes users, roles, accounts and companies', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder()
  const alcove = async (...args: readonly string[]) => await runAlcoveHere(args, { cwd: folder.path })
  const outputOf = async (...args: readonly string[]): Promise<string> => (await alcove(...args)).stdout.trim()
  const listed = async (...args: readonly string[]): Promise<readonly Record<string, unknown>[]> =>
    JSON.parse(await outputOf(...args, 'list', '--json')) as readonly Record<string, unknown>[]
  await alcove('init')
  await alcove('company', 'create', 'Sub', '--parent', '1')
  const { id: keyId, userId } = JSON.parse(await outputOf('key', 'create', '--company', '2', '--json')) as Record<
    string,
    number
  >
  expect(keyId).toBeGreaterThan(0)
  const accountId = Number(
    (await listed('account')).find(({ customerId, application }) => customerId === 2 && application === 'assistant')?.[
      'id'
    ],
  )
  const upload = async (): Promise<void> => {
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'alcove-data'), roles: [] })
    const session = engine.as({ companyId: 2, userId: userId ?? 0, accountId })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await session.documents.upload(id, { fileName: 'leave.txt', content: Buffer.from('Parental leave.') })
    await engine.close()
  }
  const files = async (): Promise<number> => {
    const entries = await readdir(join(folder.path, 'alcove-data', 'files'), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).length
  }

  await alcove('user', 'add', 'ada@example.com', '--company', '2')
  const ada = String((await listed('user')).at(-1)?.['id'])
  expect(await outputOf('user', 'disable', ada)).toBe(`Disabled user ${ada}.`)
  expect((await listed('user')).at(-1)).toMatchObject({ email: 'ada@example.com', disabled: true })
  expect(await outputOf('user', 'enable', ada)).toBe(`Enabled user ${ada}.`)
  expect(await outputOf('user', 'delete', ada)).toBe(`Deleted user ${ada}.`)
  expect(JSON.stringify(await listed('user'))).not.toContain('ada@example.com')
  const refusal = await alcove('user', 'delete', ada)
  expect([refusal.exitCode, refusal.stderr]).toEqual([1, expect.stringContaining(`no user with the id ${ada}`)])

  await alcove('role', 'create', 'Clerk', '--applications', 'assistant', '--capabilities', 'search')
  const role = String((await listed('role')).at(-1)?.['id'])
  expect(await outputOf('role', 'disable', role)).toBe(`Disabled role ${role}.`)
  expect(await outputOf('role', 'delete', role)).toBe(`Deleted role ${role}.`)
  expect((await alcove('role', 'delete', '1')).stderr).toContain('it stays as it is')

  await upload()
  expect(await files()).toBe(1)
  expect(await outputOf('user', 'delete', String(userId), '--contexts', 'delete')).toBe(`Deleted user ${userId}.`)
  expect(await files()).toBe(0)

  expect(await outputOf('account', 'delete', String(accountId))).toBe(`Deleted account ${accountId}.`)
  expect(await outputOf('company', 'disable', '2')).toBe('Disabled company 2.')
  expect((await alcove('company', 'delete', '1')).stderr).toContain('the root company cannot be deleted')
  expect(await outputOf('company', 'delete', '2')).toBe('Deleted company 2.')
  expect(await listed('company')).toEqual([{ id: 1, name: expect.any(String) as string, parentId: null }])
  expect((await alcove('doctor')).exitCode).toBe(0)
  await folder.remove()
})

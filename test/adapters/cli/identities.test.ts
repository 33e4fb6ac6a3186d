import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import type { ApiKey, ApiKeyWithSecret, Context, User } from '../../../src/index.js'
import { NEW_CONTEXT } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const dataDir = (): string => join(folder.path, 'alcove-data')

beforeAll(async () => {
  folder = await temporaryFolder()
  await json('init')
})

afterAll(async () => {
  await folder.remove()
})

async function json<Value>(...args: readonly string[]): Promise<Value> {
  const { exitCode, stdout, stderr } = await runAlcoveHere([...args, '--json'], { cwd: folder.path })
  expect([exitCode, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Value
}

async function refusal(...args: readonly string[]): Promise<string> {
  const { exitCode, stderr } = await runAlcoveHere(args, { cwd: folder.path })
  expect(exitCode).toBe(1)
  return stderr.trim()
}

describe('alcove user', () => {
  it('adds a user without an invitation, and shows a user by each name', async () => {
    const user = await json<User>(
      ...[
        'user',
        'add',
        'ada@example.com',
        '--company',
        '1',
        '--name',
        'Ada',
        '--external-id',
        'oidc|1',
        '--no-invite',
      ],
    )
    expect(user).toMatchObject({ email: 'ada@example.com', externalId: 'oidc|1', hasPassword: false })
    const names = [[`${user.id}`], ['--email', 'ADA@example.com'], ['--external-id', 'oidc|1', '--company', '1']]
    for (const name of names) expect(await json('user', 'show', ...name)).toEqual(user)
    const { stdout } = await runAlcoveHere(['user', 'show', `${user.id}`], { cwd: folder.path })
    expect(stdout).toContain('externalId: oidc|1\n')
    expect(await refusal('user', 'show', '--email', 'nobody@example.com')).toContain('(ERR_USER_NOT_FOUND)')
    expect(await refusal('user', 'show')).toContain('give exactly one of an id, --email and --external-id')
    // Mails are files of this folder, which the first mail creates.
    await expect(readdir(join(dataDir(), 'mail'))).rejects.toMatchObject({ code: 'ENOENT' })
    await json('user', 'add', 'bo@example.com', '--company', '1')
    expect(await readdir(join(dataDir(), 'mail'))).toHaveLength(1)
  })

  it('hands over contexts, of a deleted user all at once', async () => {
    const add = async (email: string) => await json<User>('user', 'add', email, '--company', '1', '--no-invite')
    const [from, to] = [await add('from@example.com'), await add('to@example.com')]
    const engine = await openLocalEngine({ dataDir: dataDir(), roles: [] })
    const [own] = await engine.administration.users.principals(from.id)
    const { contexts } = engine.as(own?.principal ?? engine.owner)
    const ids: number[] = []
    for (const name of ['One', 'Two', 'Three']) ids.push((await contexts.create({ ...NEW_CONTEXT, name })).id)
    await engine.close()
    const one = await json<Context>('context', 'hand-over', 'One', '--to', `${to.id}`)
    expect([one.id, one.userId]).toEqual([ids[0], to.id])
    const two = await json<Context>('context', 'hand-over', `${ids[1]}`, '--to', `${to.id}`)
    expect([two.id, two.userId]).toEqual([ids[1], to.id])
    await json('user', 'delete', `${from.id}`)
    const { stdout } = await runAlcoveHere(['user', 'hand-over', `${from.id}`, '--to', `${to.id}`], {
      cwd: folder.path,
    })
    expect(stdout).toBe(`Gave 1 context of user ${from.id} to user ${to.id}.\n`)
    const listed = await json<Context[]>('context', 'list')
    expect(listed.map(({ userId }) => userId)).toEqual([to.id, to.id, to.id])
    expect(await refusal('user', 'hand-over', `${to.id}`, '--to', `${from.id}`)).toContain('may not read contexts')
  })
})

it('alcove key create makes keys that see what a user sees', async () => {
  const key = await json<ApiKeyWithSecret>('key', 'create', '--company', '1', '--user', '1', '--sight', 'user')
  expect(key.sight).toBe('user')
  expect((await json<ApiKeyWithSecret>('key', 'create', '--company', '1', '--user', '1')).sight).toBe('account')
  const sights = (await json<ApiKey[]>('key', 'list')).map(({ sight }) => sight)
  expect(sights).toEqual(['account', 'user', 'account'])
  const { stdout } = await runAlcoveHere(['key', 'list'], { cwd: folder.path })
  expect(stdout).toMatch(/│ targets +│ sight +│/)
  expect(await refusal('key', 'create', '--company', '1', '--sight', 'user')).toContain(
    '--sight: can be "user" only together with --user:',
  )
})

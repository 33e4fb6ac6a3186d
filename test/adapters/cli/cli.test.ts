import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import type { AuditEntry } from '../../../src/index.js'
import { otpCode } from '../../otp-code.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Outcome, runAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const EXAMPLES = join(import.meta.dirname, '../../../examples/documents')

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  run = runAlcoveHere
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

/** Most commands run in this process: starting one takes the longest. */
let run: typeof runAlcove

/** Starts a process for a command. */
async function inProcess<T>(command: () => Promise<T>): Promise<T> {
  run = runAlcove
  try {
    return await command()
  } finally {
    run = runAlcoveHere
  }
}

const alcove = async (...args: readonly string[]): Promise<Outcome> => await run(args, { cwd: folder.path })

/** Runs a command that must succeed. @returns the one JSON value on its stdout */
async function json<T = Record<string, unknown>>(...args: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await alcove(...args, '--json')
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout) as T
}

async function expectError(exitCode: number, message: string | RegExp, ...args: readonly string[]): Promise<void> {
  const outcome = await alcove(...args)
  expect(outcome.exitCode, outcome.stderr).toBe(exitCode)
  expect(outcome.stderr).toMatch(message)
  expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
  expect(outcome.stdout).toBe('')
}

describe('alcove', () => {
  // A106
  it('records in the audit trail who did what, and that the command line did it', async () => {
    await json('init')
    const permissions = await json<Record<string, unknown>[]>('permission', 'list')
    await json('permission', 'toggle', String(permissions[0]?.['id']))
    const entries = await json<Record<string, unknown>[]>('audit', 'list', '--company', '1', '--limit', '2')
    expect(entries).toHaveLength(2)
    expect(entries[1]).toMatchObject({
      action: 'permission.suspended',
      actor: { kind: 'host', userId: null },
      clientId: 'command-line',
      remoteAddress: null,
      targetId: permissions[0]?.['id'],
    })
    const { stdout } = await alcove('audit', 'list', '--action', 'permission.suspended')
    expect(stdout).toMatch(/permission\.suspended.+host.+command-line.+userId=1/)
    await expectError(1, /no company with the id 9/, 'audit', 'list', '--company', '9')
  })

  it('runs the main job: init, context, ingest, documents, search', async () => {
    const key = await inProcess(() => json('init', '--company', 'Café', '--owner-email', 'boss@example.com'))
    expect(Object.keys(key)).toEqual(['clientId', 'clientSecret', 'companyId', 'userId'])
    const context = await json('context', 'create', 'Handbook', '--chunk-size', '200', '--top-n', '2')
    expect(context).toMatchObject({
      id: 1,
      name: 'Handbook',
      description: 'Handbook',
      caption: 'Handbook',
      chunkSize: 200,
      topN: 2,
      toolsJson: '[]',
    })

    const documents = await inProcess(() =>
      json<Record<string, unknown>[]>('ingest', '--context', 'Handbook', EXAMPLES),
    )
    expect(documents).toHaveLength(6)
    expect(documents.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6])
    for (const document of documents) {
      expect(document).toMatchObject({
        contextId: 1,
        nameIndex: 0,
        error: null,
        completed: expect.any(String) as string,
      })
    }
    const listed = await json<Record<string, unknown>[]>('documents', '--context', '1')
    expect(listed.map(({ fileName }) => fileName)).toEqual(documents.map(({ fileName }) => fileName))
    expect(Object.keys(listed[0] ?? {})).toEqual([
      'id',
      'contextId',
      'uuid',
      'fileName',
      'originalName',
      'displayName',
      'nameIndex',
      'contentType',
      'contentHash',
      'size',
      'chunks',
      'created',
      'createdBy',
      'started',
      'completed',
      'error',
      'errorCode',
      'metadata',
      'replacement',
    ])

    const results = await json<Record<string, unknown>[]>(
      'search',
      '--context',
      'Handbook',
      'How long is parental leave?',
    )
    expect(results).toHaveLength(2)
    expect(Object.keys(results[0] ?? {})).toEqual(['id', 'docId', 'content', 'similarity'])
    expect(results[0]?.['content']).toContain('eighteen weeks')
    expect(await json<unknown[]>('search', '--context', '1', '--top', '3', 'parental leave')).toHaveLength(3)

    const shown = await inProcess(() =>
      alcove('search', '--context', 'Handbook', '--top', '1', 'How long is parental leave?'),
    )
    expect(shown.stdout).toMatch(/^1\. 0\.\d{3} {2}leave-policy\.pdf\n/)
  })

  it('accepts --json and --data-dir anywhere on the line, and options from the environment', async () => {
    await json('init', '--data-dir', 'elsewhere')
    expect(await readdir(folder.path)).toEqual(['elsewhere'])
    for (const args of [
      ['--json', '--data-dir', 'elsewhere', 'context', 'list'],
      ['context', '--data-dir', 'elsewhere', 'list', '--json'],
      ['context', 'list', '--json', '--data-dir=elsewhere'],
    ]) {
      expect((await alcove(...args)).stdout).toBe('[]\n')
    }
    const env = { ALCOVE_DATA_DIR: 'elsewhere', ALCOVE_JSON: '1', ALCOVE_CHUNK_SIZE: '321' }
    const created = await runAlcoveHere(['context', 'create', 'X'], { cwd: folder.path, env })
    expect(JSON.parse(created.stdout)).toMatchObject({ name: 'X', chunkSize: 321 })
    const listWith = async (value: string, ...args: readonly string[]): Promise<Outcome> =>
      await runAlcoveHere(['company', 'list', ...args], { cwd: folder.path, env: { ...env, ALCOVE_JSON: value } })
    for (const off of ['0', 'false', '']) {
      expect((await listWith(off)).stdout).toContain('│ id')
      expect((await listWith(off, '--json')).stdout).toMatch(/^\[\{/)
    }
    expect((await listWith('true')).stdout).toMatch(/^\[\{/)
    expect(await listWith('perhaps')).toMatchObject({ exitCode: 2, stdout: '' })
  })

  it('explains what to do with a folder that was never initialised', async () => {
    for (const args of [
      ['context', 'list'],
      ['search', '--context', 'x', 'y'],
      ['ingest', '--context', 'x', EXAMPLES],
      ['company', 'list'],
    ]) {
      await expectError(1, /run "alcove init" first/, ...args)
    }
    expect(await readdir(folder.path)).toEqual([])
  })

  it('refuses a second init, which changes nothing', async () => {
    await json('init')
    await expectError(
      1,
      /initialised already, .*: "alcove key create --company 1" makes another key \(ERR_ALREADY_INITIALIZED\)$/m,
      ...['init', '--company', 'Other'],
    )
    expect(await json('key', 'create', '--company', '1')).toMatchObject({ clientSecret: expect.any(String) as string })
    expect(await json('company', 'list')).toEqual([{ id: 1, name: 'Root company', parentId: null }])
  })

  it('creates the first API key of a folder that a host created', async () => {
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'alcove-data') })
    await engine.close()
    expect(await json('init')).toMatchObject({ companyId: 1, userId: 1 })
  })

  it('refuses other names for a folder that a host created, and prints the names that it has', async () => {
    const initial = { companyName: 'Harbour', ownerEmail: 'boss@example.com' }
    await (await openLocalEngine({ dataDir: join(folder.path, 'alcove-data'), initial })).close()
    const there =
      /with the root company Harbour and the owner boss@example\.com, which cannot change: run "alcove init"/
    await expectError(1, there, 'init', '--company', 'Other')
    await expectError(1, there, 'init', '--owner-email', 'other@example.com')
    expect(await json('key', 'list')).toEqual([])
    const key = await json('init', '--company', 'Harbour', '--owner-email', 'Boss@example.com')
    expect(Object.keys(key)).toEqual(['clientId', 'clientSecret', 'companyId', 'userId'])
  })

  it('initialises a folder whose first init failed, with the names of the second init', async () => {
    await expectError(1, /email: must be an e-mail address/, 'init', '--owner-email', 'notanaddress')
    await expectError(1, /run "alcove init" first/, 'company', 'list')
    await expectError(1, /email: must be an e-mail address/, 'init', '--owner-email', 'stillnotanaddress')
    await json('init', '--company', 'Second', '--owner-email', 'a@example.com')
    expect(await json('company', 'list')).toEqual([{ id: 1, name: 'Second', parentId: null }])
    expect(await json('user', 'list')).toMatchObject([{ email: 'a@example.com' }])
  })

  it('exits with 2 and one line for wrong usage', async () => {
    await expectError(2, /unknown command 'contxt' \(Did you mean context\?\)/, 'contxt', 'list')
    await expectError(2, /missing required argument 'prompt'/, 'search', '--context', 'x')
    await expectError(2, /required option '--context <context>' not specified/, 'search', 'prompt')
    await expectError(2, /required option '--context <context>' not specified/, 'documents')
    await expectError(2, /unknown option '--nope'/, 'context', 'list', '--nope')
    await expectError(
      2,
      /argument 'abc' is invalid\. Expected a number/,
      'context',
      'create',
      'x',
      '--chunk-size',
      'abc',
    )
    await expectError(2, /Expected an id, a positive integer/, 'company', 'create', 'x', '--parent', '-1')
    await expectError(2, /Allowed choices are on, off/, 'context', 'share', '1', 'maybe')
    for (const group of ['context', 'company', 'account', 'role', 'user', 'permission'])
      await expectError(2, new RegExp(`missing subcommand of '${group}'; expected one of .*list`), group)
    const alone = await alcove()
    expect([alone.exitCode, alone.stderr]).toEqual([0, ''])
    expect(alone.stdout).toBe((await alcove('help')).stdout)
    expect(alone.stdout).toMatch(/^Usage: alcove /)
    await expectError(2, /unknown command 'lst' \(Did you mean list\?\)/, 'context', 'lst')
    expect((await alcove('help', 'context')).stdout).toContain('create')
    expect(await alcove('--version')).toMatchObject({ exitCode: 0, stdout: '0.1.0\n' })
    expect((await alcove('help', 'ingest')).stdout).toContain('--context <context>')
  })

  it('exits with 1 and one line that names field and code for invalid input', async () => {
    await json('init')
    await expectError(
      1,
      /--overlap: must be a number at least 0 and less than 1 \(ERR_INVALID_INPUT\)/,
      'context',
      'create',
      'x',
      '--overlap',
      '1',
    )
    await expectError(
      1,
      /no model named other; known: all-MiniLM-L6-v2 \(ERR_MODEL_UNKNOWN\)/,
      'context',
      'create',
      'x',
      '--model',
      'other',
    )
    await writeFile(join(folder.path, 'tools.json'), '[{"id": 1, "name": "two words"}]')
    await expectError(
      1,
      /--tools \[0\]\.name: must be a function name/,
      'context',
      'create',
      'x',
      '--tools',
      'tools.json',
    )
    await expectError(1, /cannot read the file nope\.json/, 'context', 'create', 'x', '--tools', 'nope.json')
    await expectError(1, /no context has the id or name x/, 'search', '--context', 'x', 'prompt')
    await json('context', 'create', 'Twice')
    await json('context', 'create', 'Twice')
    await expectError(1, /several contexts have the name Twice: use an id, one of 1, 2/, 'context', 'show', 'Twice')
    await expectError(1, /prompt: must not be empty/, 'search', '--context', '1', '  ')
    await expectError(1, /no document with the id nope/, 'documents', 'show', 'nope')
  })

  it('manages contexts: update, share, show, delete', async () => {
    await json('init')
    await writeFile(
      join(folder.path, 'tools.json'),
      '[{"id":1,"name":"go","description":"d","action":"Run Agent","agentId":3}]',
    )
    await json('context', 'create', 'First', '--description', 'D', '--caption', 'C', '--tools', 'tools.json')
    const updated = await json(
      'context',
      'update',
      'First',
      '--name',
      'Renamed',
      '--top-n',
      '9',
      '--score-threshold',
      '0.2',
    )
    expect(updated).toMatchObject({ name: 'Renamed', description: 'D', caption: 'C', topN: 9, scoreThreshold: 0.2 })
    expect(updated['toolsJson']).toContain('"agentId":3')
    expect(await json('context', 'share', 'Renamed', 'on', '--icon', '📚')).toMatchObject({ shareState: 1 })
    expect(await json('context', 'share', '1', 'off')).toMatchObject({ shareState: 0 })
    expect(await json('context', 'show', '1')).toMatchObject({ name: 'Renamed' })
    await json('ingest', '--context', '1', join(EXAMPLES, 'first-day.txt'))
    expect(await json('context', 'delete', 'Renamed')).toEqual({})
    expect(await json('context', 'list')).toEqual([])
    expect(await readdir(join(folder.path, 'alcove-data/vectors'))).toEqual([])
  })

  it('ingests each file that it can, names each file that it cannot, and exits with 1', async () => {
    await json('init')
    await json('context', 'create', 'C')
    const inbox = join(folder.path, 'inbox')
    await mkdir(join(inbox, 'deep'), { recursive: true })
    await writeFile(join(inbox, 'good.txt'), 'Some text.')
    await writeFile(join(inbox, 'blank.md'), ' \n')
    await writeFile(join(inbox, 'deep/also.csv'), 'a,b\n1,2\n')
    await writeFile(join(inbox, 'picture.png'), 'x')
    await writeFile(join(inbox, 'zero.txt'), 'A text with a zero\0in it.')
    await writeFile(join(inbox, '.hidden.txt'), 'hidden')
    const { exitCode, stdout, stderr } = await alcove(
      'ingest',
      '--context',
      'C',
      'inbox',
      'nowhere.txt',
      'inbox/picture.png',
    )
    expect(exitCode).toBe(1)
    expect(stdout.trim().split('\n')).toEqual([
      'inbox/blank.md: failed: The file has no text (ERR_NO_TEXT)',
      'inbox/deep/also.csv: 1 chunk from 8 bytes',
      'inbox/good.txt: 1 chunk from 10 bytes',
      'inbox/zero.txt: 1 chunk from 25 bytes; warning: 1 zero character became U+FFFD',
      'nowhere.txt: failed: no such file or folder (ERR_INVALID_INPUT)',
      'inbox/picture.png: failed: The file is a picture, and text in pictures is not read: switch text recognition on with npm install tesseract.js @tesseract.js-data/eng @tesseract.js-data/osd and --ocr eng (the option ocr of the engine) (ERR_UNSUPPORTED_FORMAT)',
    ])
    expect(stderr.split('\n')).toEqual([
      'skipped inbox/picture.png: its format is not supported',
      'skipped in inbox: 1 hidden; to ingest such a file, name it',
      '',
    ])
    const documents = await json<{ originalName: string; error: string | null }[]>('documents', '--context', 'C')
    expect(documents.map(({ originalName, error }) => [originalName, error])).toEqual([
      ['blank.md', 'The file has no text (ERR_NO_TEXT)'],
      ['also.csv', null],
      ['good.txt', null],
      ['zero.txt', null],
    ])
  })

  it('prints a document once when two files contain the same text', async () => {
    await json('init')
    await json('context', 'create', 'C')
    await mkdir(join(folder.path, 'copy'))
    for (const path of ['a.txt', 'copy/a.txt']) await writeFile(join(folder.path, path), 'the same text')
    const documents = await json<{ id: number }[]>('ingest', '--context', 'C', 'a.txt', 'copy')
    expect(documents.map(({ id }) => id)).toEqual([1])
    expect((await alcove('ingest', '--context', 'C', 'a.txt', 'copy')).stdout).toBe(
      'a.txt: 1 chunk from 13 bytes\ncopy/a.txt: 1 chunk from 13 bytes\n',
    )
  })

  it('shows, retries and deletes documents', async () => {
    await json('init')
    await json('context', 'create', 'C')
    await writeFile(join(folder.path, 'blank.txt'), ' ')
    const failed = await alcove('ingest', '--context', 'C', 'blank.txt', join(EXAMPLES, 'first-day.txt'), '--json')
    const [blank, good] = JSON.parse(failed.stdout) as { fileName: string; displayName: string }[]
    expect(failed.exitCode).toBe(1)
    const shown = await json<{ receipt: object | null }>('documents', 'show', good?.fileName ?? '')
    expect(shown.receipt).toMatchObject({ chunks: 1, embeddingModel: 'all-MiniLM-L6-v2', warnings: [] })
    const read = await alcove('documents', 'show', good?.fileName ?? '')
    expect(read.stdout).toMatch(/^receipt:\n {2}bytes: \d+\n(?: {2}.*\n)* {2}durationsMs:\n {4}extract: /m)
    const retried = await alcove('documents', 'retry', blank?.fileName ?? '', '--json')
    expect(retried.exitCode).toBe(1)
    expect(JSON.parse(retried.stdout)).toMatchObject({ error: 'The file has no text (ERR_NO_TEXT)' })
    await expectError(1, /has not failed: it is completed/, 'documents', 'retry', good?.fileName ?? '')
    expect(await json('documents', 'delete', good?.fileName ?? '')).toEqual({})
    expect(await json<unknown[]>('documents', '--context', 'C')).toHaveLength(1)
    expect((await alcove('documents', '--context', 'C')).stdout).toContain('blank.txt')
  })

  // A96
  it('sets up one-time passwords, and disables them', async () => {
    await json('init')
    const user = await json('user', 'add', 'ada@example.com', '--company', '1')
    const id = String(user['id'])
    const { secret = '', uri = '' } = await json<Record<string, string>>('user', 'otp', 'begin', id, '--issuer', 'Shop')
    expect(uri).toContain(`otpauth://totp/Shop:ada%40example.com?issuer=Shop&secret=${secret}`)
    await expectError(1, /code: is wrong/, 'user', 'otp', 'confirm', id, 'abcdef')
    const confirmed = await json('user', 'otp', 'confirm', id, otpCode(secret, new Date()))
    expect(confirmed['recoveryCodes']).toHaveLength(10)
    expect((await json<Record<string, unknown>[]>('user', 'list')).at(-1)).toMatchObject({ otpMethod: 'totp' })
    const { stdout } = await alcove('user', 'otp', 'recovery-codes', id)
    expect(stdout.match(/^([A-Z2-9]{4}-){3}[A-Z2-9]{4}$/gm)).toHaveLength(10)
    expect((await alcove('user', 'otp', 'begin', id)).stdout).toMatch(
      /^Secret \(not shown a second time\): [A-Z2-7]{32}\nURI for a QR code: otpauth:\/\/totp\/.+\nThen run "alcove user otp confirm \d+ CODE"/,
    )
    expect(await json('user', 'otp', 'disable', id)).toMatchObject({ otpMethod: 'none' })
    await expectError(1, /has no one-time passwords/, 'user', 'otp', 'recovery-codes', id)
    await expectError(1, /no user with the id 99/, 'user', 'otp', 'disable', '99')
    const actions = (await json<AuditEntry[]>('audit', 'list', '--limit', '5')).map(({ action }) => action)
    expect(actions).toEqual([
      ...['otp.begun', 'otp.enabled', 'otp.recovery-codes-renewed'],
      ...['otp.begun', 'otp.disabled'],
    ])
  })

  it('manages companies, accounts, roles, users and permissions', async () => {
    await json('init', '--company', 'Root')
    const sub = await json('company', 'create', 'Sub', '--parent', '1')
    expect(sub).toEqual({ id: 2, name: 'Sub', parentId: 1 })
    expect(await json('company', 'list')).toEqual([{ id: 1, name: 'Root', parentId: null }, sub])
    await json('company', 'create', 'Subsub', '--parent', '2')
    expect(await json('company', 'move', '3', '--parent', '1')).toEqual({ id: 3, name: 'Subsub', parentId: 1 })
    await expectError(1, /--parent: company 2 lies below company 2 itself/, 'company', 'move', '2', '--parent', '2')
    const account = await json(
      'account',
      'create',
      '--company',
      '2',
      '--application',
      'assistant',
      '--region',
      'Europe',
      '--name',
      'Second',
    )
    expect(account).toMatchObject({ customerId: 2, application: 'assistant', region: 'Europe', active: true })
    expect(await json('account', 'disable', String(account['id']))).toMatchObject({ active: false })
    expect(await json('account', 'enable', String(account['id']))).toMatchObject({ active: true })
    const role = await json(
      'role',
      'create',
      'Auditor',
      '--applications',
      'assistant,tenant',
      '--capabilities',
      'context:read, search',
    )
    expect(role).toMatchObject({
      customerId: null,
      applications: ['assistant', 'tenant'],
      capabilities: ['context:read', 'search'],
    })
    const user = await json('user', 'add', 'Ada@example.com', '--company', '2')
    expect(user).toMatchObject({ email: 'Ada@example.com', customerId: 2 })
    await expectError(1, /a user with this e-mail address exists/, 'user', 'add', 'ada@EXAMPLE.com', '--company', '2')
    const same = await json('user', 'add', 'ada@EXAMPLE.com', '--company', '1')
    expect(same).toMatchObject({ email: 'ada@EXAMPLE.com', customerId: 1 })
    const granted = await json(
      'permission',
      'grant',
      '--user',
      String(user['id']),
      '--account',
      String(account['id']),
      '--role',
      String(role['id']),
    )
    expect(granted).toMatchObject({
      userIdentityId: user['id'],
      appAccountId: account['id'],
      appRoleId: role['id'],
      disabled: false,
      lastAccess: null,
    })
    expect(await json('permission', 'toggle', String(granted['id']))).toMatchObject({ disabled: true })
    expect(await json('permission', 'revoke', String(granted['id']))).toEqual({})
    for (const list of ['account', 'role', 'user', 'permission']) {
      const items = await json<{ id: number }[]>(list, 'list')
      expect(items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).sort((one, other) => one - other))
      expect((await alcove(list, 'list')).stdout).toContain('│ id')
    }
  })

  it('runs beside an engine when the command needs only the database, and otherwise names the process of the engine', async () => {
    run = runAlcove
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'alcove-data') })
    await json('context', 'create', 'Beside')
    expect(await engine.as(engine.owner).contexts.list()).toHaveLength(1)
    for (const args of [
      ['search', '--context', 'Beside', 'x'],
      ['ingest', '--context', 'Beside', EXAMPLES],
    ]) {
      await expectError(
        1,
        new RegExp(`in use by another process \\(pid ${process.pid}\\).*ERR_DATA_DIR_LOCKED`),
        ...args,
      )
    }
    await json('context', 'delete', 'Beside')
    expect(await engine.as(engine.owner).contexts.list()).toEqual([])
    await engine.close()
  })

  it('demonstrates the main job on its own documents, and leaves no file behind', async () => {
    run = runAlcove
    const { exitCode, stdout, stderr } = await alcove('demo')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(
      /How many weeks of paid leave do new parents get\?\n1\. 0\.\d{3} {2}leave-policy\.pdf\n[^?]*eighteen weeks/,
    )
    expect(stdout).toMatch(/error E4\?\n1\. 0\.\d{3} {2}espresso-machine\.docx\n/)
    expect(stdout).toMatch(/oat milk\?\n1\. 0\.\d{3} {2}suppliers\.csv\n/)
    const answer = (question: string, mode: string): string => {
      return stdout.split(question)[1]?.split(`(${mode}):\n`)[1]?.split('\n\n')[0] ?? ''
    }
    expect(answer('code W-12 mean?', 'semantic')).not.toContain('W-12')
    expect(answer('code W-12 mean?', 'hybrid')).toMatch(/^1\. 0\.\d{3} {2}spare-parts\.md\n[^]*the drain is blocked/)
    expect(answer('切蛋糕的刀多久洗一次？', 'semantic')).not.toContain('每半个小时洗一次')
    expect(answer('切蛋糕的刀多久洗一次？', 'hybrid')).toContain('每半个小时洗一次')
    expect(answer('should I wear?', 'keyword')).not.toContain('trousers')
    expect(answer('should I wear?', 'hybrid')).toMatch(/^1\. 0\.\d{3} {2}first-day\.txt\n[^]*Bring dark\s+trousers/)
    // Each answer has at most three lines, and fits on most terminals.
    expect(stdout).not.toMatch(/^1\. .*\n(.*\S.*\n){3}|.{125}/m)
    expect(await readdir(folder.path)).toEqual([])
  })

  it('says that the demo takes no data folder', async () => {
    const { exitCode, stderr } = await alcove('demo', '--data-dir', 'mine')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('temporary folder of its own: leave out --data-dir')
    expect(await readdir(folder.path)).toEqual([])
  })

  it.runIf(process.platform === 'linux')('ends where the system takes no new folder, and says why', async () => {
    const { exitCode, stderr } = await alcove('init', '--data-dir', '/proc/absent/data')
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/\/proc\/absent\/data.*ENOENT.*ERR_DATA_DIR_UNUSABLE/)
  })

  it('shows the secret of an API key only once', async () => {
    const { clientSecret } = await json<{ clientSecret: string }>('init')
    const database = await readFile(join(folder.path, 'alcove-data/alcove.sqlite'))
    const journal = await readFile(join(folder.path, 'alcove-data/alcove.sqlite-wal')).catch(() => Buffer.alloc(0))
    expect(Buffer.concat([database, journal]).includes(clientSecret)).toBe(false)
  })
})

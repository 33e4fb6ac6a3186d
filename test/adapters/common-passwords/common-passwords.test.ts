import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ListedCommonPasswords } from '../../../adapters/common-passwords/index.js'
import { MemoryCommonPasswords } from '../../../adapters/memory/index.js'
import { commonPasswordsSuite } from '../../conformance/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const runner = { describe, it }
const nothing = async (): Promise<void> => undefined

commonPasswordsSuite(runner, 'memory', async () => ({ port: new MemoryCommonPasswords(), dispose: nothing }))
commonPasswordsSuite(runner, 'a list', async () => ({ port: new ListedCommonPasswords(), dispose: nothing }))

/** Prints if the list is loaded after the import, with a running engine, and after a password was set. */
const PROGRAM = `
import { createRequire } from 'node:module'
const { cache } = createRequire(import.meta.url)
const isLoaded = () => Object.keys(cache).some((path) => path.includes('zxcvbn'))
const states = []
await import(process.argv[1] + '/src/index.js')
const { openLocalEngine } = await import(process.argv[1] + '/adapters/local/index.js')
states.push(isLoaded())
const engine = await openLocalEngine({ dataDir: process.argv[2] })
const { users } = engine.administration
const { id } = await users.add({ email: 'ada@example.com', companyId: 1 })
await users.completeSetup(id)
await engine.administration.verifyPassword('ada@example.com', 'password1234')
states.push(isLoaded())
const answer = await users.completeSetup(id, 'PASSWORD1234').catch(({ code }) => code)
states.push(isLoaded(), answer)
await engine.close()
console.log(JSON.stringify(states))
`

describe('the list of common passwords', () => {
  // A50
  it('contains the commonest passwords of 12 characters and more', async () => {
    const list = new ListedCommonPasswords()
    const common = ['1qaz2wsx3edc', 'qwerty123456', 'motherfucker', '123456789012', 'passwordpassword', 'password1234']
    for (const password of common) expect(await list.has(password), password).toBe(true)
    for (const password of ['correct horse battery', 'twelve chars']) expect(await list.has(password)).toBe(false)
  })

  // A51
  it('is loaded when a user first chooses a password, not by an import, a start or a login', async () => {
    const folder = await temporaryFolder()
    const dist = join(import.meta.dirname, '../../../dist')
    const args = ['--input-type=module', '--eval', PROGRAM, dist, join(folder.path, 'data')]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    await folder.remove()
    expect(JSON.parse(stdout)).toEqual([false, false, true, 'ERR_INVALID_INPUT'])
  })
})

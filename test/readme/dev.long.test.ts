import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.js'

const DEV = join(import.meta.dirname, '../../scripts/dev.js')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dev: ReturnType<typeof spawn> | undefined

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  // A test that failed has left it.
  dev?.kill()
  if (dev?.exitCode === null) await once(dev, 'exit')
  await folder.remove()
})

it('npm run dev serves the console and the API on sample data, prints the API key, and stops at Ctrl-C', async () => {
  const env = { ...process.env, ALCOVE_DATA_DIR: join(folder.path, 'data') }
  dev = spawn(process.execPath, [DEV, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(dev, 'exit')
  let output = ''
  const onText = (text: string): void => {
    output += text
  }
  dev.stdout?.setEncoding('utf8').on('data', onText)
  dev.stderr?.setEncoding('utf8').on('data', onText)
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+/)
  const url = /listening on (\S+)/.exec(output)?.[1] ?? ''
  expect((await fetch(`${url}/console`)).status).toBe(200)
  const [, clientId = ''] = /client id (\S+)/.exec(output) ?? []
  const [, secret = ''] = /secret +(\S+)/.exec(output) ?? []
  const key = { client_id: clientId, client_secret: secret, target_app: 'assistant' }
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...key })
  const token = (await (await fetch(`${url}/connect/token`, { method: 'POST', body })).json()) as {
    readonly access_token: string
  }
  const headers = { authorization: `Bearer ${token.access_token}` }
  const documents = await fetch(`${url}/context/documents/1`, { headers })
  expect(await documents.text()).toContain('leave-policy.pdf')
  dev.kill('SIGINT')
  await ended
  await expect(fetch(`${url}/console`)).rejects.toThrow()
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcoveHere } from '../run-alcove-here.js'
import { type Served, serveAlcove } from './serve-alcove.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let served: Served | undefined
let key: { readonly clientId: string; readonly clientSecret: string }

beforeEach(async () => {
  folder = await temporaryFolder()
  key = JSON.parse((await runAlcoveHere(['init', '--json'], { cwd: folder.path })).stdout) as typeof key
})

afterEach(async () => {
  await served?.stop('SIGKILL')
  await folder.remove()
})

async function serve(...args: string[]): Promise<string> {
  served = await serveAlcove(args, { cwd: folder.path })
  return served.address
}

async function logIn(address: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ clientId: key.clientId, clientSecret: key.clientSecret })
  return await fetch(`${address}/auth/login`, { method: 'POST', headers, body })
}

describe('the console of alcove serve', () => {
  it('is at /console, with files that browsers keep, and with logins by cookies', async () => {
    const address = await serve()
    const page = await fetch(`${address}/console`)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    const script = /src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    const file = await fetch(address + script)
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    const login = await logIn(address)
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    expect((await fetch(`${address}/context`, { headers: { cookie } })).status).toBe(200)
    expect(served?.stderr()).not.toContain(cookie.slice('alcove_login='.length))
    expect(served?.stderr()).not.toContain(key.clientSecret)
  })

  it('has a cookie for https alone and the paths of the public address', async () => {
    const address = await serve('--public-url', 'https://example.com/alcove')
    expect((await logIn(address)).headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/)
    const page = await (await fetch(`${address}/console`)).text()
    expect(page).toContain('data-console-path="/alcove/console" data-api-path="/alcove"')
    // The proxy cuts the prefix off.
    const script = /src="\/alcove([^"]+\.js)"/.exec(page)?.[1] ?? ''
    expect((await fetch(address + script)).status).toBe(200)
  })

  it('is left out by --no-console, with the logins', async () => {
    const address = await serve('--no-console')
    expect((await fetch(`${address}/console`)).status).toBe(404)
    expect((await logIn(address)).status).toBe(404)
    expect(
      (await fetch(`${address}/openapi.json`).then(async (answer) => await answer.text())).includes('/auth/login'),
    ).toBe(false)
  })
})

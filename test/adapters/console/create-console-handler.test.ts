import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ConsoleOptions, createConsoleHandler } from '../../../adapters/console/index.js'
import { InvalidInputError } from '../../../src/index.js'

const get = async (path: string, options?: ConsoleOptions, init?: RequestInit): Promise<Response> =>
  await createConsoleHandler(options)(new Request(`http://127.0.0.1${path}`, init))

/** The addresses of the scripts and styles in a page. */
async function filesOf(page: Response): Promise<readonly string[]> {
  return [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)].flatMap(([, path]) => path ?? [])
}

describe('createConsoleHandler', () => {
  it('sends the same page for every path below its own, with a policy without unsafe-inline', async () => {
    const pages = await Promise.all(
      ['/console', '/console/', '/console/gpts/3/documents'].map(async (path) => await get(path)),
    )
    for (const page of pages) {
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const policy = page.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
      expect(policy).toContain("; require-trusted-types-for 'script'; trusted-types default")
      expect(policy).not.toContain('unsafe')
      expect(page.headers.get('cache-control')).toBe('no-store')
    }
    const nonces = new Set(pages.map(({ headers }) => headers.get('content-security-policy')))
    expect(nonces.size).toBe(pages.length)
  })

  it('names its files and the API by the paths of the host', async () => {
    const options = { path: '/alcove/console/', apiPath: '/alcove' }
    const page = await get('/alcove/console', options)
    const text = await page.clone().text()
    expect(text).toContain('data-console-path="/alcove/console" data-api-path="/alcove"')
    for (const path of await filesOf(page)) {
      expect(path).toMatch(/^\/alcove\/console\/assets\/[\w-]+\.(js|css)$/)
      const file = await get(path, options)
      expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    }
  })

  it('sends files compressed to those who take that, and the same bytes to others', async () => {
    const [path = ''] = await filesOf(await get('/console'))
    const headers = { 'accept-encoding': 'br, gzip' }
    const gzip = await get(path, {}, { headers })
    expect([gzip.headers.get('content-encoding'), gzip.headers.get('vary')]).toEqual(['gzip', 'accept-encoding'])
    const plain = await get(path)
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(gunzipSync(await gzip.arrayBuffer()).equals(Buffer.from(await plain.arrayBuffer()))).toBe(true)
  })

  it.each([
    '/console/assets/unknown.js',
    '/console/assets/../manifest.json',
    '/console/assets/%2e%2e/manifest.json',
    '/console/assets/..%2f..%2findex.js',
  ])('sends no other file: %s', async (path) => {
    const answer = await get(path)
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
    expect(isPage || answer.status === 404).toBe(true)
  })

  it('adds at most 2 MB to an installation', async () => {
    const folder = fileURLToPath(new URL('../../../dist/adapters/console/', import.meta.url))
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    const sizes = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
    )
    expect(sizes.length).toBeGreaterThan(10)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000)
  })

  it('takes only GET and HEAD', async () => {
    const answer = await get('/console', {}, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it.each([{ path: 'console' }, { path: '/a b' }, { apiPath: '/"><script>' }, { paths: '/x' }] as ConsoleOptions[])(
    'refuses wrong options: %j',
    (options) => {
      expect(() => createConsoleHandler(options)).toThrow(InvalidInputError)
    },
  )
})

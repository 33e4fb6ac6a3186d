import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { S3FileStore } from '../../../adapters/s3/index.js'
import { collect } from '../../conformance/harness.js'
import { failWith, megabytes } from './contents.js'
import { type S3Server, startS3Server } from './s3-server.js'

const KEY = 'aaaaaaaa-0000-4000-8000-000000000001'
const PLENTY = { maxBytes: 1_000_000_000 }

let server: S3Server
let files: S3FileStore

beforeAll(async () => {
  server = await startS3Server()
  files = new S3FileStore(server.options)
})

afterEach(() => {
  server.intercept = () => false
})

afterAll(async () => {
  await server.dispose()
})

describe('a failing bucket', () => {
  const quick = { timeoutMs: 300 }
  /** Position of `sizeOf` in the list of calls. */
  const SIZE_OF = 2

  /** The error of each call. Every call must fail. */
  async function errors(store: S3FileStore): Promise<unknown[]> {
    const calls = [
      store.write(KEY, megabytes(1), PLENTY),
      collect(store.read(KEY)),
      store.sizeOf(KEY),
      store.digest(KEY),
      store.delete(KEY),
      collect(store.list()),
      store.removeUnfinished(),
    ]
    return await Promise.all(
      calls.map(
        async (call) =>
          await call.then(
            () => undefined,
            (error: unknown) => error,
          ),
      ),
    )
  }

  it.each<[number, string, boolean, string]>([
    [503, 'SlowDown', true, 'busy'],
    [500, 'InternalError', true, 'has failed'],
    [429, 'TooManyRequests', true, 'busy'],
    [400, 'RequestTimeout', true, 'does not answer'],
    [403, 'AccessDenied', false, 'give their user the right'],
    [403, 'InvalidAccessKeyId', false, 'AWS_ACCESS_KEY_ID'],
    [403, 'SignatureDoesNotMatch', false, 'AWS_SECRET_ACCESS_KEY'],
    [301, 'PermanentRedirect', false, 'AWS_REGION'],
    [501, 'NotImplemented', false, 'cannot do'],
    [418, 'NobodyKnows', false, 'NobodyKnows'],
  ])('with %s %s causes an error with a clear sentence in each call', async (status, code, isTransient, sentence) => {
    server.intercept = failWith(status, code)
    for (const [call, error] of (await errors(files)).entries()) {
      // The response to HEAD has no body that could name the error.
      if (call === SIZE_OF && status === 400) continue
      expect(error).toMatchObject({ code: 'ERR_STORAGE', isTransient })
      const { message, cause } = error as Error
      expect(message).not.toMatch(/secret|http|Signature=/)
      if (call !== SIZE_OF) expect(message).toContain(sentence)
      expect(JSON.stringify(cause ?? {})).not.toMatch(/authorization/i)
    }
    await expect(collect(files.list())).rejects.toThrow(sentence)
  })

  it('causes ERR_STORAGE_FULL, which callers wait for, when it is full', async () => {
    server.intercept = failWith(507, 'XMinioStorageFull')
    await expect(files.write(KEY, megabytes(1), PLENTY)).rejects.toMatchObject({ code: 'ERR_STORAGE_FULL' })
  })

  it('causes an error that names a missing bucket or an unknown user, instead of a missing file', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' }
    for (const [options, sentence] of [
      [{ bucket: 'no-such-bucket' }, 'there is no bucket of that name'],
      [{ credentials }, 'AWS_SECRET_ACCESS_KEY'],
      [{ credentials: { ...credentials, accessKeyId: 'nobody' } }, 'AWS_ACCESS_KEY_ID'],
    ] as const) {
      const store = new S3FileStore({ ...server.options, ...options })
      await expect(store.write(KEY, megabytes(1), PLENTY)).rejects.toThrow(sentence)
      await expect(collect(store.read(KEY))).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: false })
      await expect(store.sizeOf(KEY)).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: false })
    }
  })

  it('causes a transient error soon if its server is away or silent', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    for (const error of await errors(new S3FileStore({ ...server.options, ...quick, endpoint }))) {
      expect(error).toMatchObject({ isTransient: true, message: expect.stringContaining('does not answer') as string })
    }
    silent.closeAllConnections()
    silent.close()
    await once(silent, 'close')
    for (const error of await errors(new S3FileStore({ ...server.options, endpoint }))) {
      expect(error).toMatchObject({ isTransient: true, message: expect.stringContaining('ECONNREFUSED') as string })
    }
  })

  it('without a region or a name causes an error that says which option to set', async () => {
    const { region: _, ...elsewhere } = server.options
    await expect(collect(new S3FileStore(elsewhere).list())).rejects.toThrow('set AWS_REGION')
    expect(() => new S3FileStore({ bucket: '' })).toThrow('bucket: must be the name of a bucket')
  })

  it('without its client packages causes an error that says which packages to install', async () => {
    const index = new URL('../../../dist/adapters/s3/index.js', import.meta.url).href
    const hook = `export const resolve = async (name, context, next) => {
      if (name.startsWith('@aws-sdk/')) throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' })
      return await next(name, context)
    }`
    const program = `import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
      const { S3FileStore } = await import(${JSON.stringify(index)})
      await new S3FileStore({ bucket: 'any' }).list().next().catch((error) => console.log(error.code, error.message))`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    expect(output).toBe(
      'ERR_UNSUPPORTED install @aws-sdk/client-s3 and @aws-sdk/lib-storage to keep files in an S3 bucket\n',
    )
  })
})

import { once } from 'node:events'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { S3FileStore } from '../../../adapters/s3/index.js'
import { forkProgram } from '../../child-program.js'
import { collect, inPieces } from '../../conformance/harness.js'
import { fileStoreSuite } from '../../conformance/index.js'
import { sized } from '../../full-form.js'
import { failWith, MEGABYTE, megabytes } from './contents.js'
import type { S3Report } from './s3-child.js'
import { type S3Server, startS3Server } from './s3-server.js'

const KEY = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER_KEY = 'aaaaaaaa-0000-4000-8000-000000000002'
const PLENTY = { maxBytes: 1_000_000_000 }
const DAY_MS = 86_400_000

let server: S3Server
let suiteServer: S3Server
let stores = 0
let files: S3FileStore

fileStoreSuite({ describe, it }, 'S3', async () => {
  stores += 1
  const prefix = `some/files-${stores}/`
  return { port: new S3FileStore({ ...suiteServer.options, prefix }), dispose: () => Promise.resolve() }
})

beforeAll(async () => {
  suiteServer = await startS3Server()
  server = await startS3Server({ pageSize: 2 })
  files = new S3FileStore(server.options)
})

afterEach(async () => {
  server.intercept = () => false
  for (const key of await collect(files.list())) await files.delete(key)
  await files.removeUnfinished()
  server.requests.length = 0
})

afterAll(async () => {
  await suiteServer.dispose()
  await server.dispose()
})

/** Leaves an unfinished upload, as a killed process does. */
async function leaveUnfinished(key: string, ageMs: number): Promise<void> {
  const client = new S3FileStore({ ...server.options, client: server.client })
  server.intercept = (request, response) => {
    const isEnd = request.method === 'DELETE' || (request.method === 'POST' && request.url?.includes('uploadId'))
    if (isEnd === true) response.destroy()
    return isEnd === true
  }
  await expect(client.write(key, megabytes(10), PLENTY)).rejects.toMatchObject({ code: 'ERR_STORAGE' })
  server.intercept = () => false
  const upload = (await server.unfinished()).find((one) => one.key === key)
  if (upload === undefined) throw new Error('nothing was left')
  const then = new Date(Date.now() - ageMs)
  const folder = server.folderOf(upload)
  for (const name of await readdir(folder)) await utimes(join(folder, name), then, then)
}

describe('a file in a bucket', () => {
  it('is written and read in parts, in memory that does not grow with the file, and lets its process end', async () => {
    const script = join(import.meta.dirname, './s3-child.ts')
    const args = [JSON.stringify(server.options), String(sized(100, 200))]
    const child = await forkProgram(script, args, { execArgv: ['--expose-gc'], stdio: 'inherit' })
    const [[report], [exitCode]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [
      [S3Report],
      [number],
    ]
    expect(exitCode).toBe(0)
    expect(report.isSame).toBe(true)
    expect(report.peaksMb.large - report.peaksMb.small).toBeLessThan(40)
    expect(report.longestWorkMs).toBeLessThan(50)
  })

  it('is stored completely if it fills its parts exactly, or has a byte more or less', async () => {
    for (const bytes of [5 * MEGABYTE, 5 * MEGABYTE + 1, 10 * MEGABYTE - 1, 10 * MEGABYTE]) {
      const stored = await files.write(KEY, inPieces(new Uint8Array(bytes).fill(7), 3_000_000), PLENTY)
      expect(await files.digest(KEY)).toEqual(stored)
      expect(stored.sizeBytes).toBe(bytes)
    }
    expect(await server.unfinished()).toEqual([])
  })

  it.each<[string, () => unknown, { readonly message?: string; readonly code?: string }]>([
    ['the content throws', () => Promise.reject(new Error('cut off')), { message: 'cut off' }],
    ['there are too many bytes', () => undefined, { code: 'ERR_QUOTA_EXCEEDED' }],
  ])('is not stored, not even in parts, if %s', async (_, last, expectedError) => {
    const maxBytes = 'code' in expectedError ? 19 * MEGABYTE : 100 * MEGABYTE
    await expect(files.write(KEY, megabytes(20, last), { maxBytes })).rejects.toMatchObject(expectedError)
    expect(server.requests.filter((request) => request.includes('partNumber'))).not.toEqual([])
    expect([await server.unfinished(), await server.objects()]).toEqual([[], []])
  })

  it('is not stored, not even in parts, if the write is aborted while parts are sent, and these stop at once', async () => {
    const abort = new AbortController()
    server.intercept = (request) => {
      const isPart = request.url?.includes('partNumber') === true
      if (isPart) abort.abort(new Error('no longer wanted'))
      // The request for a part is never answered.
      return isPart
    }
    const began = performance.now()
    const writing = files.write(KEY, megabytes(30), { ...PLENTY, signal: abort.signal })
    await expect(writing).rejects.toThrow('no longer wanted')
    expect(performance.now() - began).toBeLessThan(5_000)
    expect([await server.unfinished(), await server.objects()]).toEqual([[], []])
  })

  it('is not stored if the write is aborted while the whole file is sent', async () => {
    const abort = new AbortController()
    server.intercept = (request) => {
      if (request.method === 'PUT') abort.abort(new Error('no longer wanted'))
      return false
    }
    const writing = files.write(KEY, megabytes(2), { ...PLENTY, signal: abort.signal })
    await expect(writing).rejects.toThrow('no longer wanted')
    expect(await collect(files.list())).toEqual([])
  })

  it('is not stored if the final response is lost', async () => {
    for (const count of [1, 20]) {
      server.intercept = (request, response) => {
        const isLast = count === 1 ? request.method === 'PUT' : request.url?.includes('uploadId') === true
        if (isLast && request.method !== 'DELETE') response.end = () => response.destroy()
        return false
      }
      await expect(files.write(KEY, megabytes(count), PLENTY)).rejects.toMatchObject({ code: 'ERR_STORAGE' })
      server.intercept = () => false
      expect([await server.unfinished(), await server.objects()]).toEqual([[], []])
    }
  })

  it('causes an error if one of its parts is refused, and the other parts stop', async () => {
    server.intercept = failWith(403, 'AccessDenied', { only: 'partNumber=2' })
    const expectedError = { code: 'ERR_STORAGE', isTransient: false }
    await expect(files.write(KEY, megabytes(100), PLENTY)).rejects.toMatchObject(expectedError)
    const parts = server.requests.filter((request) => request.includes('partNumber'))
    expect(parts.length).toBeLessThan(6)
    expect([await server.unfinished(), await server.objects()]).toEqual([[], []])
  })

  it('causes an error if the bucket stored fewer bytes', async () => {
    server.intercept = (request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'content-length': 5 }).end()
      return request.method === 'HEAD'
    }
    const expectedError = {
      isTransient: true,
      message: expect.stringContaining('has kept 5 of 1048576 bytes') as string,
    }
    await expect(files.write(KEY, megabytes(1), PLENTY)).rejects.toMatchObject(expectedError)
    expect(await server.objects()).toEqual([])
  })

  it('is signed with the SHA-256 of each body and has no checksum that other servers do not support', async () => {
    const headers: Record<string, unknown>[] = []
    server.intercept = (request) => {
      headers.push(request.headers)
      return false
    }
    await files.write(KEY, megabytes(9), PLENTY)
    await collect(files.read(KEY))
    expect(headers.flatMap((all) => Object.keys(all)).filter((name) => /checksum|trailer|expect/.test(name))).toEqual(
      [],
    )
    const hashes = headers.map((all) => all['x-amz-content-sha256'])
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('a read from a bucket', () => {
  /** Closes the connection after `behindBytes` bytes of the response, `times` times. */
  function cut(behindBytes: number, times: number): void {
    let left = times
    server.intercept = (request, response) => {
      if (request.method !== 'GET' || left === 0) return false
      left -= 1
      const write = response.write.bind(response)
      let sent = 0
      response.write = (chunk: Uint8Array) => {
        const rest = behindBytes - sent
        sent += chunk.length
        const result = write(chunk.subarray(0, Math.max(0, rest)))
        if (sent >= behindBytes) setImmediate(() => response.socket?.end())
        return result
      }
      return false
    }
  }

  it('continues after the last byte when a connection ends early', async () => {
    const stored = await files.write(KEY, megabytes(3), PLENTY)
    server.requests.length = 0
    cut(700_000, 3)
    expect(await files.digest(KEY)).toEqual(stored)
    expect(server.requests).toHaveLength(4)
  })

  it('fails, and never returns a shorter file, when connections end early repeatedly', async () => {
    await files.write(KEY, megabytes(3), PLENTY)
    cut(0, 100)
    const expectedError = {
      code: 'ERR_STORAGE',
      isTransient: true,
      message: expect.stringContaining('end before') as string,
    }
    await expect(collect(files.read(KEY))).rejects.toMatchObject(expectedError)
  })

  it('fails if a server starts from the beginning or does not state the length', async () => {
    await files.write(KEY, megabytes(3), PLENTY)
    cut(700_000, 1)
    const cutting = server.intercept
    server.intercept = (request, response) => {
      delete request.headers.range
      return cutting(request, response)
    }
    await expect(collect(files.read(KEY))).rejects.toMatchObject({ code: 'ERR_STORAGE', isTransient: false })
    server.intercept = (_, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).end('bytes')
      return true
    }
    await expect(collect(files.read(KEY))).rejects.toMatchObject({
      message: expect.stringContaining('NotAnS3') as string,
    })
  })

  it('frees its connection when the caller stops early', async () => {
    await files.write(KEY, megabytes(20), PLENTY)
    const closed = new Promise<boolean>((resolve) => {
      server.intercept = (_, response) => {
        response.on('close', () => resolve(response.writableFinished))
        return false
      }
    })
    for await (const piece of files.read(KEY)) {
      expect(piece.byteLength).toBeGreaterThan(0)
      break
    }
    expect(await closed).toBe(false)
  })
})

describe('a bucket', () => {
  it('is listed completely, with files of the prefix only', async () => {
    const put = async (name: string) =>
      await server.client.send(new PutObjectCommand({ Bucket: server.bucket, Key: name, Body: 'x' }))
    const keys = Array.from(
      { length: 1_005 },
      (_, number) => `bbbbbbbb-0000-4000-8000-${`${number}`.padStart(12, '0')}`,
    )
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map(async (key) => await put(`many/${key}`)))
    }
    for (const name of ['many/database-id', `many/deeper/${KEY}`, `many/${KEY}.txt`, `many2/${KEY}`, OTHER_KEY]) {
      await put(name)
    }
    const many = new S3FileStore({ ...server.options, prefix: 'many/' })
    server.requests.length = 0
    expect((await collect(many.list())).sort()).toEqual(keys)
    expect(server.requests).toHaveLength(2)
    expect(await collect(files.list())).toEqual([OTHER_KEY])
  })

  it('causes an error if its list is incomplete', async () => {
    server.intercept = (_, response) => {
      response.end('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>')
      return true
    }
    await expect(collect(files.list())).rejects.toMatchObject({ code: 'ERR_STORAGE' })
  })

  it('loses all unfinished uploads, or only old ones, when they are removed', async () => {
    const many = [1, 2, 3, 4, 5].map((number) => `cccccccc-0000-4000-8000-00000000000${number}`)
    for (const [number, key] of many.entries()) await leaveUnfinished(key, number * DAY_MS)
    await server.client.send(
      new UploadPartCommand({
        Bucket: server.bucket,
        Key: many[4],
        UploadId: (await server.unfinished()).at(-1)?.id,
        PartNumber: 3,
        Body: 'it lives',
      }),
    )
    await files.removeUnfinished({ olderThanMs: 1.5 * DAY_MS })
    expect((await server.unfinished()).map(({ key }) => key)).toEqual([many[0], many[1], many[4]])
    const other = new S3FileStore({ ...server.options, prefix: 'other/' })
    await other.removeUnfinished()
    expect(await server.unfinished()).toHaveLength(3)
    await files.removeUnfinished()
    expect(await server.unfinished()).toEqual([])
  })

  it('belongs to the first engine that claims it', async () => {
    const claimed = new S3FileStore({ ...server.options, prefix: 'claimed/' })
    expect(await claimed.owner()).toBeUndefined()
    expect(await claimed.claim('one')).toBe('one')
    expect(await claimed.claim('other')).toBe('one')
    let isFirstLook = true
    server.intercept = (request, response) => {
      const failing = isFirstLook ? failWith(404, 'NoSuchKey') : failWith(412, 'PreconditionFailed', { only: 'PUT' })
      isFirstLook = false
      return failing(request, response)
    }
    expect(await claimed.claim('another')).toBe('one')
    let refused = 0
    server.intercept = (request, response) => {
      if (request.headers['if-none-match'] === undefined) return false
      request.resume()
      refused += 1
      response.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>')
      return true
    }
    const unconditional = new S3FileStore({ ...server.options, prefix: 'unconditional/' })
    expect([await unconditional.claim('one'), refused > 0]).toEqual(['one', true])
  })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { FileStore } from '../../src/ports/index.js'
import { type CreateSubject, collect, defineSuite, inPieces, rejectsWith, type TestRunner } from './harness.js'

const KEY = '0f9a8960-36ac-426d-9b1e-3c5d7e9f1a2b'
const OTHER_KEY = '11111111-2222-4333-8444-555555555555'
const PLENTY = { maxBytes: 100_000_000 }

/** Tests for every FileStore. */
export function fileStoreSuite(runner: TestRunner, name: string, create: CreateSubject<FileStore>): void {
  defineSuite(runner, `FileStore: ${name}`, create, (test) => {
    test('returns the bytes that were written, with their size and SHA-256', async (files) => {
      const bytes = sample(300_000)
      const stored = await files.write(KEY, inPieces(bytes, 7_777), PLENTY)
      assert.deepEqual(stored, { sizeBytes: 300_000, sha256: createHash('sha256').update(bytes).digest('hex') })
      assert.deepEqual(Buffer.concat(await collect(files.read(KEY))), Buffer.from(bytes))
    })

    test('stores each piece as it was on arrival, even if the sender then reuses its memory', async (files) => {
      const bytes = sample(30_000)
      for (const memory of [new Uint8Array(10_000), Buffer.alloc(10_000)]) {
        async function* reusing(): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < bytes.length; at += memory.length) {
            memory.set(bytes.subarray(at, at + memory.length))
            yield memory
          }
          memory.fill(0)
        }
        const stored = await files.write(KEY, reusing(), PLENTY)
        assert.deepEqual(Buffer.concat(await collect(files.read(KEY))), Buffer.from(bytes))
        assert.equal(stored.sha256, createHash('sha256').update(bytes).digest('hex'))
      }
    })

    test('stores an empty file', async (files) => {
      const stored = await files.write(KEY, inPieces(new Uint8Array(), 1), PLENTY)
      assert.equal(stored.sizeBytes, 0)
      assert.equal(Buffer.concat(await collect(files.read(KEY))).length, 0)
    })

    test('accepts content of exactly the size limit and rejects one byte more', async (files) => {
      await files.write(KEY, inPieces(sample(1_000), 100), { maxBytes: 1_000 })
      await rejectsWith('ERR_QUOTA_EXCEEDED', files.write(OTHER_KEY, inPieces(sample(1_001), 100), { maxBytes: 1_000 }))
      assert.deepEqual(await collect(files.list()), [KEY])
    })

    test('stops reading content that exceeds the size limit', async (files) => {
      let read = 0
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (;;) {
          read += 1
          yield sample(1_000)
        }
      }
      await rejectsWith('ERR_QUOTA_EXCEEDED', files.write(KEY, endless(), { maxBytes: 10_000 }))
      assert.ok(read <= 12, `${read} pieces were read`)
    })

    test('stores nothing if the content throws', async (files) => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield sample(10)
        throw new Error('cut off')
      }
      await assert.rejects(files.write(KEY, broken(), PLENTY), /cut off/)
      assert.deepEqual(await collect(files.list()), [])
      await rejectsWith('ERR_FILE_MISSING', collect(files.read(KEY)))
    })

    test('stores nothing if the write is aborted', async (files) => {
      const abort = new AbortController()
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield sample(10)
        abort.abort(new Error('no longer wanted'))
        yield sample(10)
      }
      await assert.rejects(files.write(KEY, slow(), { ...PLENTY, signal: abort.signal }), /no longer wanted/)
      assert.deepEqual(await collect(files.list()), [])
    })

    test('does not wait for silent content after the write is aborted', async (files) => {
      const abort = new AbortController()
      async function* hanging(): AsyncGenerator<Uint8Array> {
        yield sample(10)
        setTimeout(() => abort.abort(new Error('no longer wanted')), 1)
        await new Promise(() => undefined)
      }
      await assert.rejects(files.write(KEY, hanging(), { ...PLENTY, signal: abort.signal }), /no longer wanted/)
      assert.deepEqual(await collect(files.list()), [])
    })

    test('reports a missing file as missing', async (files) => {
      await rejectsWith('ERR_FILE_MISSING', collect(files.read(KEY)))
    })

    test('returns the size of a file, and reads the file to compute its SHA-256', async (files) => {
      assert.equal(await files.sizeOf(KEY), undefined)
      await rejectsWith('ERR_FILE_MISSING', files.digest(KEY))
      for (const length of [300_000, 0]) {
        const stored = await files.write(KEY, inPieces(sample(length), 7_777), PLENTY)
        assert.equal(await files.sizeOf(KEY), length)
        assert.deepEqual(await files.digest(KEY), stored)
      }
    })

    test('stops a digest that is aborted', async (files) => {
      await files.write(KEY, inPieces(sample(300_000), 7_777), PLENTY)
      const signal = AbortSignal.abort(new Error('no longer wanted'))
      await assert.rejects(files.digest(KEY, { signal }), /no longer wanted/)
    })

    test('deletes a file, and ignores the deletion of a missing file', async (files) => {
      await files.write(KEY, inPieces(sample(10), 10), PLENTY)
      await files.delete(KEY)
      await files.delete(KEY)
      await rejectsWith('ERR_FILE_MISSING', collect(files.read(KEY)))
    })

    test('lists the keys of all stored files', async (files) => {
      assert.deepEqual(await collect(files.list()), [])
      for (const key of [KEY, OTHER_KEY]) await files.write(key, inPieces(sample(10), 10), PLENTY)
      assert.deepEqual((await collect(files.list())).sort(), [KEY, OTHER_KEY].sort())
    })

    test('keeps finished files when it removes unfinished ones', async (files) => {
      await files.write(KEY, inPieces(sample(10), 10), PLENTY)
      await files.removeUnfinished()
      assert.deepEqual(await collect(files.list()), [KEY])
    })

    test('says how many bytes all files take, if it knows', async (files) => {
      const usedBytes = async (): Promise<number | undefined> => await files.usedBytes?.()
      const known = (await usedBytes()) !== undefined
      if (known) assert.equal(await usedBytes(), 0)
      await files.write(KEY, inPieces(sample(30_000), 7_777), PLENTY)
      await files.write(OTHER_KEY, inPieces(sample(12), 7_777), PLENTY)
      assert.equal(await usedBytes(), known ? 30_012 : undefined)
      await files.delete(KEY)
      assert.equal(await usedBytes(), known ? 12 : undefined)
    })

    test('keeps a write in progress when it removes old unfinished files', async (files) => {
      let resume = (): void => undefined
      const waiting = new Promise<void>((resolve) => {
        resume = resolve
      })
      let start = (): void => undefined
      const hasStarted = new Promise<void>((resolve) => {
        start = resolve
      })
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield sample(10)
        start()
        await waiting
        yield sample(10)
      }
      const writing = files.write(KEY, slow(), PLENTY)
      await hasStarted
      await files.removeUnfinished({ olderThanMs: 60_000 })
      await files.write(OTHER_KEY, inPieces(sample(10), 10), PLENTY)
      resume()
      assert.equal((await writing).sizeBytes, 20)
      assert.deepEqual((await collect(files.list())).sort(), [KEY, OTHER_KEY].sort())
    })

    // U9
    test('rejects keys that are not lower-case UUIDs', async (files) => {
      for (const key of ['../../etc/passwd', 'a/b', '', KEY.toUpperCase(), `${KEY}\0`, '.', 'CON']) {
        await rejectsWith('ERR_INVALID_INPUT', files.write(key, inPieces(sample(1), 1), PLENTY))
        await rejectsWith('ERR_INVALID_INPUT', async () => collect(files.read(key)))
        await rejectsWith('ERR_INVALID_INPUT', async () => files.delete(key))
        await rejectsWith('ERR_INVALID_INPUT', async () => files.sizeOf(key))
        await rejectsWith('ERR_INVALID_INPUT', async () => files.digest(key))
      }
    })
  })
}

function sample(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31) % 251)
}

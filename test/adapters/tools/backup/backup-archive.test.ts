import { createHash } from 'node:crypto'
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Header } from 'tar/header'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ArchiveWriter } from '../../../../adapters/tools/backup/backup-archive-writer.js'
import { ArchiveReader } from '../../../../adapters/tools/backup/restore-archive-reader.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { archiveOf, type Entry, entriesOf } from './backup-archives.js'

/** The bytes that are read at once. */
const PIECE_BYTES = 262_144
const never = new AbortController().signal

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let paths = 0

beforeAll(async () => {
  folder = await temporaryFolder()
})

afterAll(async () => {
  await folder.remove()
})

const newPath = (): string => join(folder.path, `${(paths += 1)}`)

async function newWriter(): Promise<{
  readonly writer: ArchiveWriter
  readonly file: string
  readonly partial: string
}> {
  const [file, partial] = [newPath(), newPath()]
  return { writer: await ArchiveWriter.create({ file, partial, checksums: newPath() }), file, partial }
}

/** Writes files of these sizes into an archive, and returns its path. */
async function writeArchive(sizes: readonly number[]): Promise<string> {
  const { writer, file } = await newWriter()
  await writer.addText('manifest.json', '{}')
  for (const size of sizes) {
    const source = newPath()
    await writeFile(source, bytesOf(size))
    const sha256 = createHash('sha256').update(bytesOf(size)).digest('hex')
    expect(await writer.addFile(`vectors/${size}`, source, never)).toEqual({ sizeBytes: size, sha256 })
  }
  await writer.finish(never)
  await writer.publish({ overwrite: false })
  await writer.abandon()
  return file
}

function bytesOf(size: number): Buffer {
  return Buffer.alloc(size, `${size} bytes of a file, `)
}

/** The names of the entries, and the hashes of their content. */
async function readArchive(file: string, signal?: AbortSignal): Promise<(readonly [string, string])[]> {
  const handle = await open(file)
  try {
    const found: (readonly [string, string])[] = []
    const { size } = await handle.stat()
    for await (const { name, content } of new ArchiveReader(handle, size).entries(signal)) {
      const hash = createHash('sha256')
      for await (const piece of content) hash.update(piece)
      found.push([name, hash.digest('hex')])
    }
    return found
  } finally {
    await handle.close()
  }
}

describe('the archive of a backup', () => {
  const sizes = [0, 1, 511, 512, 513, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 1_000_000]

  it('is as large as one with the headers of another library, and has the bytes of each file', async () => {
    const written = await readFile(await writeArchive(sizes))
    const rebuilt = archiveOf(entriesOf(written))
    expect(written.length).toBe(rebuilt.length)
    for (const { path, content } of entriesOf(written).slice(1)) {
      const size = Number(path.slice('vectors/'.length))
      expect(Buffer.from(content ?? '').equals(bytesOf(size)), path).toBe(true)
    }
  })

  it('is read as it was written, also if another library wrote its headers', async () => {
    const file = await writeArchive(sizes)
    const expected = entriesOf(await readFile(file)).map(
      ({ path, content = '' }) => [path, createHash('sha256').update(content).digest('hex')] as const,
    )
    expect(expected).toHaveLength(sizes.length + 1)
    expect(await readArchive(file)).toEqual(expected)
    const rebuilt = newPath()
    await writeFile(rebuilt, archiveOf(entriesOf(await readFile(file))))
    expect(await readArchive(rebuilt)).toEqual(expected)
  })

  it('contains the longest names that a header has room for, and refuses longer ones', async () => {
    const { writer, file } = await newWriter()
    const folders = `vectors/${'d'.repeat(155 - 'vectors/'.length)}`
    const names = [`vectors/${'n'.repeat(92)}`, `vectors/${'n'.repeat(100)}`, `${folders}/${'n'.repeat(100)}`]
    for (const name of names) await writer.addText(name, 'content')
    const tooLong = [`vectors/${'n'.repeat(101)}`, `${folders}d/n`, `vectors/d/${'n'.repeat(101)}`]
    for (const name of tooLong) await expect(writer.addText(name, '')).rejects.toThrow(/cannot contain/)
    await expect(writer.addText('vectors/\u00e9', '')).rejects.toThrow(/cannot contain/)
    await writer.finish(never)
    await writer.publish({ overwrite: false })
    expect((await readArchive(file)).map(([name]) => name)).toEqual(names)
    expect(entriesOf(await readFile(file)).map(({ path }) => path)).toEqual(names)
    const rebuilt = newPath()
    await writeFile(rebuilt, archiveOf(names.map((path): Entry => ({ path, content: 'content' }))))
    expect((await readArchive(rebuilt)).map(([name]) => name)).toEqual(names)
  })

  it('is removed if a file becomes shorter while it is copied, or if the copy is aborted', async () => {
    const source = newPath()
    await writeFile(source, '')
    const abort = new AbortController()
    for (const [interrupt, reason] of [
      [async () => await truncate(source, PIECE_BYTES), /became shorter/],
      [
        async () => {
          await Promise.resolve()
          abort.abort(new Error('stopped'))
        },
        /stopped/,
      ],
    ] as const) {
      const { writer, partial } = await newWriter()
      await truncate(source, 9_000_000_000)
      const adding = writer.addFile('vectors/a', source, abort.signal)
      const outcome = expect(adding).rejects.toThrow(reason)
      while ((await stat(partial)).size === 0) await new Promise(setImmediate)
      await interrupt()
      await outcome
      await writer.abandon()
      await expect(stat(partial)).rejects.toThrow('ENOENT')
    }
  })

  it('has room for a file of more than 8 GB, whose size is binary', async () => {
    const [source, file] = [newPath(), newPath()]
    const size = 9_000_000_001
    await writeFile(source, '')
    await truncate(source, size)
    const { writer, partial } = await newWriter()
    const abort = new AbortController()
    const outcome = expect(writer.addFile('vectors/a', source, abort.signal)).rejects.toThrow('stopped')
    while ((await stat(partial)).size < 512) await new Promise(setImmediate)
    abort.abort(new Error('stopped'))
    await outcome
    const header = (await readFile(partial)).subarray(0, 512)
    expect(new Header(header)).toMatchObject({ path: 'vectors/a', size, type: 'File' })
    await writer.abandon()
    for (const [index, written] of [header, archiveOf([{ path: 'vectors/a', size }]).subarray(0, 512)].entries()) {
      await writeFile(file, written)
      await truncate(file, 512 + size + 2_048)
      const handle = await open(file)
      for await (const entry of new ArchiveReader(handle, 512 + size + 2_048).entries(undefined)) {
        expect(entry, `${index}`).toMatchObject({ name: 'vectors/a', size })
        break
      }
      await handle.close()
    }
  })

  it('is no longer read after an abort, in the middle of a file', async () => {
    const file = await writeArchive([4 * PIECE_BYTES])
    const handle = await open(file)
    const abort = new AbortController()
    let read = 0
    const reading = async (): Promise<void> => {
      const { size } = await handle.stat()
      for await (const { content } of new ArchiveReader(handle, size).entries(abort.signal)) {
        for await (const piece of content) {
          read += piece.byteLength
          if (read > PIECE_BYTES) abort.abort(new Error('stopped'))
        }
      }
    }
    await expect(reading()).rejects.toThrow('stopped')
    expect(read).toBeLessThanOrEqual(2 * PIECE_BYTES + 2)
    await handle.close()
  })

  it('is not called damaged if the system cannot read its file', async () => {
    const handle = await open(folder.path)
    const reading = async (): Promise<void> => {
      for await (const { name } of new ArchiveReader(handle, 4_096).entries(undefined)) expect(name).toBe('')
    }
    await expect(reading()).rejects.toMatchObject({ code: 'EISDIR' })
    await handle.close()
  })

  it('skips the content that its reader leaves', async () => {
    const handle = await open(await writeArchive([0, 700, 3 * PIECE_BYTES]))
    const { size } = await handle.stat()
    const names: string[] = []
    for await (const { name } of new ArchiveReader(handle, size).entries(undefined)) names.push(name)
    expect(names).toEqual(['manifest.json', 'vectors/0', 'vectors/700', `vectors/${3 * PIECE_BYTES}`])
    await handle.close()
  })
})

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { backupDataDir, openLocalEngine, restoreDataDir } from '../../../../adapters/local/index.js'
import { sized } from '../../../full-form.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { archiveOf, type Entry, entriesOf } from './backup-archives.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let archive: Buffer
let entries: readonly Entry[]
let restored: string
let file: string

beforeAll(async () => {
  folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  await (await openLocalEngine({ dataDir, roles: [] })).close()
  await mkdir(join(dataDir, 'vectors'))
  file = join(folder.path, 'backup.tar')
  restored = join(folder.path, 'in', 'restored')
  await backupDataDir({ dataDir, file })
  archive = await readFile(file)
  entries = entriesOf(archive)
  await rm(dataDir, { recursive: true })
})

afterAll(async () => {
  await folder.remove()
})

describe('a restore of a damaged backup', () => {
  it('refuses a backup that is cut off at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), async (length) => {
        expect(await refusal(archive.subarray(0, length))).toMatch(/damaged or incomplete|not a backup/)
      }),
      { numRuns: sized(12, 40), examples: [[0], [511], [512], [archive.length - 1], [archive.length - 1_024]] },
    )
  })

  it('refuses a backup with one altered byte, or restores every file unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const altered = Buffer.from(archive)
        altered[at] = (altered[at] ?? 0) ^ flip
        if ((await refusal(altered)) !== undefined) return
        for (const { path, content } of entries.slice(1)) {
          expect((await readFile(join(restored, path))).equals(Buffer.from(content ?? '')), path).toBe(true)
        }
        await rm(restored, { recursive: true })
      }),
      { numRuns: sized(12, 40) },
    )
  })

  it('refuses a backup with bytes added at its end', async () => {
    expect(await refusal(Buffer.concat([archive, Buffer.alloc(512)]))).toMatch(/damaged/)
  })

  it('refuses checksums of other files', async () => {
    expect(await refusal(archiveOf(entries, { checksums: '' }))).toMatch(/damaged/)
    const swapped = entries.map((entry, index) => (index === 1 ? { ...entry, content: 'x' } : entry))
    const honest = archiveOf(entries)
    const checksums = honest.subarray(honest.indexOf('  manifest.json') - 64, -1_024).toString()
    expect(await refusal(archiveOf(swapped, { checksums }))).toMatch(/damaged/)
  })

  it('accepts a rebuilt archive with the original content', async () => {
    expect(await refusal(archiveOf(entries))).toBeUndefined()
    await rm(restored, { recursive: true })
  })
})

describe('a restore of a hostile archive', () => {
  const paths = [
    '../evil',
    'files/../../evil',
    'vectors/../../evil',
    'vectors/./evil',
    'vectors//evil',
    'vectors/.',
    'vectors/..',
    '/tmp/evil',
    'C:\\evil',
    'vectors\\..\\..\\evil',
    'vectors/a\\b',
    'vectors',
    'keys/../alcove.sqlite-wal',
    'keys/a/b',
    'files/ab/evil',
    'alcove.sqlite-wal',
    'alcove.lock',
    'mail/a.eml',
    'evil',
    '.',
    'vectors/a\nb',
    'vectors/a:b',
  ]

  it.each(paths)('writes nothing for a file named %j', async (path) => {
    expect(await refusal(archiveOf([...entries, { path, content: 'evil' }]))).toMatch(/does not belong|no file/)
  })

  it('writes no file outside its folder for any name of dots, slashes and letters', async () => {
    const name = fc.array(fc.constantFrom('..', '.', '/', 'a', 'files', 'keys', 'vectors', '~', '\\', '\u0001'), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(name, async (parts) => {
        const path = parts.join('')
        const reason = await refusal(archiveOf([...entries, { path, content: 'x' }]))
        if (reason !== undefined) return
        // An accepted entry is a plain file inside the folder.
        expect(path).toMatch(/^(keys|vectors)\/(?!\.{1,2}(\/|$))./)
        expect(posix.normalize(path)).toBe(path)
        expect(await readFile(join(restored, path), 'utf8')).toBe('x')
        await rm(restored, { recursive: true })
      }),
      { numRuns: sized(30, 100) },
    )
  })

  it.each(['SymbolicLink', 'Link', 'CharacterDevice', 'BlockDevice', 'FIFO', 'Directory'] as const)(
    'refuses a %s',
    async (type) => {
      const entry: Entry = { path: 'vectors/a', type, linkpath: '/etc/passwd' }
      expect(await refusal(archiveOf([...entries, entry]))).toMatch(/no file/)
    },
  )

  it.each(['ExtendedHeader', 'GlobalExtendedHeader', 'NextFileHasLongPath', 'NextFileHasLongLinkpath'] as const)(
    'refuses entries that rename the next entry (%s)',
    async (type) => {
      const long: Entry = { path: 'PaxHeader', type, content: '20 path=../../evil\n' }
      expect(await refusal(archiveOf([...entries.slice(0, 1), long, ...entries.slice(1)]))).toMatch(/no file/)
    },
  )

  it('refuses every entry that describes another one, even if it changes nothing', async () => {
    for (const type of ['ExtendedHeader', 'GlobalExtendedHeader'] as const) {
      for (const content of ['', '13 comment=a\n', '20 size=99999999999\n', '-3 a=b\n', 'x'.repeat(1_000)]) {
        const header: Entry = { path: 'PaxHeader', type, content }
        expect(await refusal(archiveOf([...entries.slice(0, 1), header, ...entries.slice(1)]))).toMatch(/no file/)
        expect(await refusal(archiveOf([header, ...entries]))).toMatch(/not a backup/)
        expect(await refusal(archiveOf([...entries, header]))).toMatch(/no file|damaged/)
      }
    }
  })

  it('refuses a large description of another entry, and does not keep it in memory', async () => {
    for (const type of ['ExtendedHeader', 'GlobalExtendedHeader', 'NextFileHasLongPath'] as const) {
      const header: Entry = { path: 'PaxHeader', type, content: Buffer.alloc(8_000_000, 'x') }
      expect(await refusal(archiveOf([...entries.slice(0, 1), header, ...entries.slice(1)]))).toMatch(/damaged/)
      const endless: Entry = { path: 'PaxHeader', type, size: 2 ** 40 }
      expect(await refusal(archiveOf([...entries.slice(0, 1), endless, ...entries.slice(1)]))).toMatch(/damaged/)
    }
  })

  it('refuses empty blocks between entries, and an entry after the last one', async () => {
    const honest = archiveOf(entries)
    const second = 512 + Math.ceil((entries[0]?.content?.length ?? 0) / 512) * 512
    const empty = Buffer.alloc(512)
    for (const count of [1, 2]) {
      const blocks = Array.from({ length: count }, () => empty)
      expect(await refusal(Buffer.concat([...blocks, honest]))).toMatch(/not a backup/)
      const between = Buffer.concat([honest.subarray(0, second), ...blocks, honest.subarray(second)])
      expect(await refusal(between)).toMatch(/no file/)
    }
    for (const path of ['vectors/a', 'SHA256SUMS', 'manifest.json']) {
      const hidden = archiveOf([{ path }]).subarray(0, 512)
      for (const end of [Buffer.concat([hidden, empty]), Buffer.concat([empty, hidden])]) {
        expect(await refusal(Buffer.concat([honest.subarray(0, -1_024), end]))).toMatch(/no file|damaged/)
      }
    }
  })

  it('refuses impossible sizes', async () => {
    for (const size of [10 ** 6, 2 ** 40, 2 ** 53 - 1]) {
      expect(await refusal(archiveOf([...entries, { path: 'vectors/a', size }]))).toMatch(/damaged/)
    }
  })

  it('refuses two entries of one name, and a file that is also the folder of another entry', async () => {
    const one: Entry = { path: 'vectors/a', content: '1' }
    expect(await refusal(archiveOf([...entries, one, one]))).toMatch(/twice/)
    expect(await refusal(archiveOf([...entries, one, { path: 'vectors/a/b' }]))).toMatch(/twice/)
    expect(await refusal(archiveOf([...entries, { path: 'vectors/a/b' }, one]))).toMatch(/twice/)
  })

  it('refuses a file that is not a backup', async () => {
    expect(await refusal(Buffer.alloc(0))).toMatch(/not a backup/)
    expect(await refusal(Buffer.alloc(10_240))).toMatch(/not a backup/)
    expect(await refusal(gzipSync(archive))).toMatch(/not a backup/)
    expect(await refusal(archiveOf(entries.slice(1)))).toMatch(/not a backup/)
    expect(await refusal(archiveOf([{ path: 'manifest.json', content: 'x'.repeat(2_000_000) }]))).toMatch(
      /not a backup/,
    )
    expect(await refusal(withManifest({ format: 'another' }))).toMatch(/not a backup/)
    expect(await refusal(withManifest({ created: 'yesterday' }))).toMatch(/not a backup/)
    expect(await refusal(withManifest({ tablePrefix: 'x"; drop table y; --' }))).toMatch(/not a backup/)
  })

  it('refuses a backup of a newer or an unreleased version', async () => {
    expect(await refusal(withManifest({ version: 4, more: true }))).toMatch(/newer version/)
    expect(await refusal(withManifest({ version: 2 }))).toMatch(/an unreleased version of alcove created it/)
  })

  it('refuses a database of a version that cannot be updated', async () => {
    expect(await refusal(await withSchemaVersion(23))).toMatch(/an unreleased version of alcove created it/)
    expect(await refusal(await withSchemaVersion(999))).toMatch(/schema version 999.*use a newer version/)
  })

  it('refuses a database that is missing, damaged, empty or of another folder', async () => {
    const without = (path: string, instead?: Entry): Buffer =>
      archiveOf([...entries.filter((entry) => entry.path !== path), ...(instead ? [instead] : [])])
    expect(await refusal(without('alcove.sqlite'))).toMatch(/no database/)
    for (const content of ['', 'no database at all'.repeat(100)]) {
      expect(await refusal(without('alcove.sqlite', { path: 'alcove.sqlite', content }))).toMatch(/cannot be opened/)
    }
    expect(await refusal(without('database-id', { path: 'database-id', content: 'x' }))).toMatch(/another folder/)
  })

  it('refuses a folder or a device as its source, and reports a missing file', async () => {
    const refused = { code: 'ERR_BACKUP_INVALID' }
    await expect(restoreDataDir({ dataDir: restored, file: folder.path })).rejects.toMatchObject(refused)
    await expect(restoreDataDir({ dataDir: restored, file: '/dev/zero' })).rejects.toMatchObject(refused)
    await expect(restoreDataDir({ dataDir: restored, file: join(folder.path, 'none') })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'file',
    })
  })
})

function withManifest(changes: object): Buffer {
  const [manifest, ...others] = entries
  const given = JSON.parse(String(manifest?.content)) as object
  return archiveOf([{ path: 'manifest.json', content: JSON.stringify({ ...given, ...changes }) }, ...others])
}

async function withSchemaVersion(version: number): Promise<Buffer> {
  const copy = join(folder.path, 'copy.sqlite')
  await writeFile(copy, entries.find(({ path }) => path === 'alcove.sqlite')?.content ?? '')
  const knex = openSqlite(copy)
  await knex('alcove_schema').update({ version })
  await knex.raw('pragma wal_checkpoint(truncate)')
  await knex.destroy()
  const content = await readFile(copy)
  return archiveOf(entries.map((entry) => (entry.path === 'alcove.sqlite' ? { ...entry, content } : entry)))
}

/** The reason of the refusal, after which nothing is left behind. `undefined` means that the restore succeeded. */
async function refusal(bytes: Buffer): Promise<string | undefined> {
  await writeFile(file, bytes)
  const reason = await restoreDataDir({ dataDir: restored, file }).then(
    () => undefined,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'ERR_BACKUP_INVALID' })
      return (error as Error).message
    },
  )
  if (reason === undefined) return undefined
  expect(reason).toMatch(/nothing was changed$/)
  expect(await readdir(join(folder.path, 'in')).catch(() => [])).toEqual([])
  await expect(stat(join(folder.path, 'evil'))).rejects.toThrow('ENOENT')
  return reason
}

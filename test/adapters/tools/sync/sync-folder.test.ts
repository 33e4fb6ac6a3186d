import { linkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SyncOptions, type SyncSummary, syncFolder } from '../../../../adapters/local/index.js'
import type { Document } from '../../../../src/index.js'
import { memoryEngine, NEW_CONTEXT } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let memory: Awaited<ReturnType<typeof memoryEngine>>
let contextId: number

beforeEach(async () => {
  folder = await temporaryFolder()
  memory = await memoryEngine()
  contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
})

afterEach(async () => {
  await memory.engine.close()
  await folder.remove()
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(folder.path, path, '..'), { recursive: true })
  await writeFile(join(folder.path, path), text)
}

async function sync(options: SyncOptions = {}): Promise<Partial<SyncSummary>> {
  const summary = await syncFolder(memory.session, contextId, folder.path, options)
  return Object.fromEntries(Object.entries(summary).filter(([, count]) => count > 0))
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(join(folder.path, to, '..'), { recursive: true })
  await rename(join(folder.path, from), join(folder.path, to))
}

/** The documents with the names and the paths of their files. */
async function described(): Promise<unknown[]> {
  const listed = await memory.session.documents.list(contextId)
  return listed.map(({ id, originalName: name, metadata: { path } }) => ({ id, name, path }))
}

/** A signal that runs work when the synchronisation asks for the first time whether it is aborted: after its list. */
function signalThat(work: () => void): AbortSignal {
  const { signal } = new AbortController()
  const throwIfAborted = signal.throwIfAborted.bind(signal)
  signal.throwIfAborted = () => {
    work()
    throwIfAborted()
  }
  return signal
}

/** The texts of all documents by the paths of their files. */
async function contents(): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  const { documents } = memory.session
  for await (const document of documents.entries(contextId)) {
    const [chunk] = await documents.chunks(document.uuid)
    texts[String(document.metadata['path'] ?? document.displayName)] = chunk?.content ?? ''
  }
  return texts
}

describe('a folder that a context follows', () => {
  it('adds new files, replaces changed ones, removes documents without a file, and does nothing a second time', async () => {
    await write('a.txt', 'alpha')
    await write('sub/b.md', 'beta')
    await write('picture.png', 'no text')
    expect(await sync()).toEqual({ added: 2 })
    expect(await sync()).toEqual({ unchanged: 2 })
    const before = await memory.session.documents.list(contextId)
    await write('a.txt', 'alpha two')
    await write('c.txt', 'gamma')
    await rm(join(folder.path, 'sub/b.md'))
    expect(await sync()).toEqual({ added: 1, replaced: 1 })
    expect(await contents()).toEqual({ 'a.txt': 'alpha two', 'sub/b.md': 'beta', 'c.txt': 'gamma' })
    expect(await sync({ delete: true })).toEqual({ removed: 1, unchanged: 2 })
    expect(await contents()).toEqual({ 'a.txt': 'alpha two', 'c.txt': 'gamma' })
    const after = await memory.session.documents.list(contextId)
    const [replaced, former] = [after, before].map((listed) =>
      listed.find(({ originalName }) => originalName === 'a.txt'),
    )
    expect(replaced?.id).toBe(former?.id)
    expect(replaced?.uuid).not.toBe(former?.uuid)
    expect(await sync({ delete: true })).toEqual({ unchanged: 2 })
  })

  it('keeps files of the same name in different folders apart', async () => {
    await write('one/readme.md', 'first')
    await write('two/readme.md', 'second')
    expect(await sync()).toEqual({ added: 2 })
    await write('two/readme.md', 'second, changed')
    expect(await sync()).toEqual({ replaced: 1, unchanged: 1 })
    expect(await contents()).toEqual({ 'one/readme.md': 'first', 'two/readme.md': 'second, changed' })
  })

  it('gives files of the same name and bytes one document, until one of them changes', async () => {
    await write('one/readme.md', 'same')
    await write('two/readme.md', 'same')
    await sync()
    expect(await memory.session.documents.list(contextId)).toHaveLength(1)
    expect(await sync({ delete: true })).toEqual({ unchanged: 2 })
    expect(await described()).toEqual([{ id: 1, name: 'readme.md', path: ['one/readme.md', 'two/readme.md'] }])
    const filter = { metadata: { path: 'two/readme.md' } }
    expect(await memory.session.documents.list(contextId, { filter })).toHaveLength(1)
    await write('one/readme.md', 'other')
    expect(await sync({ delete: true })).toEqual({ added: 1, unchanged: 1 })
    expect(await contents()).toEqual({ 'two/readme.md': 'same', 'one/readme.md': 'other' })
    expect(await sync({ delete: true })).toEqual({ unchanged: 2 })
    await write('three/readme.md', 'same')
    expect(await sync()).toEqual({ unchanged: 3 })
    await rm(join(folder.path, 'two'), { recursive: true })
    expect(await sync({ delete: true })).toEqual({ unchanged: 2 })
    expect(await contents()).toEqual({ 'three/readme.md': 'same', 'one/readme.md': 'other' })
    // Both files of a document change in the same way.
    await write('two/readme.md', 'same')
    await sync()
    for (const path of ['two/readme.md', 'three/readme.md']) await write(path, 'same again')
    expect(await sync({ delete: true })).toEqual({ replaced: 2, unchanged: 1 })
    expect(await described()).toContainEqual({ id: 1, name: 'readme.md', path: ['three/readme.md', 'two/readme.md'] })
  })

  it('takes over a document that was uploaded by its name', async () => {
    const { documents } = memory.session
    const uuid = await documents.upload(contextId, { fileName: 'faq.txt', content: 'old' })
    await documents.whenProcessed(uuid)
    const { id } = await documents.get(uuid)
    await write('faq.txt', 'new')
    expect(await sync()).toEqual({ replaced: 1 })
    const [document] = await documents.list(contextId)
    expect([document?.id, await contents()]).toEqual([id, { 'faq.txt': 'new' }])
  })

  it('takes the files that the globs select, and leaves documents of other paths alone', async () => {
    await write('handbook/a.txt', 'a')
    await write('handbook/draft/b.txt', 'b')
    await write('notes/c.txt', 'c')
    expect(await sync({ include: ['handbook/**'], exclude: ['**/draft/**'] })).toEqual({ added: 1 })
    expect(await sync()).toEqual({ added: 2, unchanged: 1 })
    await rm(join(folder.path, 'notes'), { recursive: true })
    await rm(join(folder.path, 'handbook/a.txt'))
    expect(await sync({ include: ['handbook/**'], delete: true })).toEqual({ removed: 1, unchanged: 1 })
    expect(Object.keys(await contents()).sort()).toEqual(['handbook/draft/b.txt', 'notes/c.txt'])
    for (const include of [[''], '*.md', [1]]) {
      const refused = sync({ include: include as string[] })
      await expect(refused).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'include' })
    }
  })

  it('leaves out hidden entries, links, node_modules and minified code', async () => {
    await write('.git/a.txt', 'a')
    await write('node_modules/b/readme.md', 'b')
    await write('c.txt', 'c')
    await symlink(join(folder.path, 'c.txt'), join(folder.path, 'd.txt'))
    await symlink(folder.path, join(folder.path, 'round'))
    await write('site/app.min.js', 'a=1')
    await write('site/App.MIN.css', 'a{}')
    expect(await sync()).toEqual({ added: 1 })
  })

  it('counts a file that cannot be read as failed, in each run, keeps its document, and goes on', async () => {
    await write('a.txt', 'alpha')
    await write('b.txt', 'beta')
    await sync()
    await write('a.txt', '')
    await write('c.txt', 'gamma')
    const failures: unknown[] = []
    const onFile: SyncOptions['onFile'] = ({ path, outcome, error }) => {
      if (outcome === 'failed') failures.push([path, error])
    }
    expect(await sync({ onFile })).toEqual({ added: 1, unchanged: 1, failed: 1 })
    expect(failures).toEqual([['a.txt', expect.stringContaining('empty')]])
    expect(await sync({ delete: true })).toEqual({ unchanged: 2, failed: 1 })
    expect(await contents()).toMatchObject({ 'a.txt': 'alpha', 'b.txt': 'beta' })
  })

  it.each([true, false])('gives renamed files their documents, with metadata (delete: %s)', async (isDeleting) => {
    const { documents } = memory.session
    for (const name of ['old.txt', 'Case.txt', 'b.txt', 'a.txt', 'chain1.txt', 'chain2.txt', 'read.txt'])
      await write(name, `words of ${name}`)
    await sync()
    const before = new Map<string, Document>()
    for (const document of await documents.list(contextId)) {
      before.set(document.originalName, document)
      await documents.update(document.uuid, { metadata: { owner: document.originalName } })
    }
    await move('old.txt', 'sub/new.txt')
    await move('Case.txt', 'case.txt')
    await move('a.txt', 'temporary')
    await move('b.txt', 'a.txt')
    await move('temporary', 'b.txt')
    await move('chain2.txt', 'chain3.txt')
    await move('chain1.txt', 'chain2.txt')
    await move('read.txt', 'read.md')
    expect(await sync({ delete: isDeleting })).toEqual({ replaced: 7 })
    const names = {
      'old.txt': 'new.txt',
      'Case.txt': 'case.txt',
      'a.txt': 'b.txt',
      'b.txt': 'a.txt',
      'chain1.txt': 'chain2.txt',
      'chain2.txt': 'chain3.txt',
      'read.txt': 'read.md',
    }
    for (const [former, name] of Object.entries(names)) {
      const path = name === 'new.txt' ? 'sub/new.txt' : name
      expect(await documents.get({ contextId, id: before.get(former)?.id ?? 0 })).toMatchObject({
        originalName: name,
        displayName: name,
        metadata: { owner: former, path },
      })
      expect((await contents())[path]).toBe(`words of ${former}`)
    }
    expect(await documents.list(contextId)).toHaveLength(7)
    expect(await sync({ delete: isDeleting })).toEqual({ unchanged: 7 })
    const [hit] = await memory.session.search(contextId, 'old', { mode: 'keyword' })
    expect(hit?.source).toMatchObject({ displayName: 'new.txt', metadata: { path: 'sub/new.txt' } })
  })

  it('makes a new document for a file that was renamed and changed, and for a copy', async () => {
    await write('a.txt', 'alpha')
    await write('b.txt', 'beta')
    await sync()
    await move('a.txt', 'c.txt')
    await write('c.txt', 'alpha two')
    await write('b copy.txt', 'beta')
    expect(await sync({ delete: true })).toEqual({ added: 2, removed: 1, unchanged: 1 })
    expect(await contents()).toEqual({ 'c.txt': 'alpha two', 'b.txt': 'beta', 'b copy.txt': 'beta' })
  })

  it('keeps an uploaded document whose file has another name, if it would be deleted', async () => {
    const { documents } = memory.session
    await documents.whenProcessed(await documents.upload(contextId, { fileName: 'lunch.txt', content: 'at noon' }))
    await write('meals.txt', 'at noon')
    expect(await sync({ delete: true })).toEqual({ replaced: 1 })
    expect(await described()).toEqual([{ id: 1, name: 'meals.txt', path: 'meals.txt' }])
  })

  it('gives a document the name of its file, if a run ended before it had it', async () => {
    const { documents } = memory.session
    const metadata = { path: 'meals.txt' }
    const uuid = await documents.upload(contextId, { fileName: 'lunch.txt', content: 'at noon', metadata })
    await documents.whenProcessed(uuid)
    await write('meals.txt', 'at noon')
    expect(await sync()).toEqual({ replaced: 1 })
    expect(await described()).toEqual([{ id: 1, name: 'meals.txt', path: 'meals.txt' }])
  })

  it('finds the document of a name whose accent is one character, or two', async () => {
    await write('caf\u00e9/re\u0301sume\u0301.txt', 'words')
    expect(await sync()).toEqual({ added: 1 })
    expect(await described()).toEqual([{ id: 1, name: 'r\u00e9sum\u00e9.txt', path: 'caf\u00e9/r\u00e9sum\u00e9.txt' }])
    await move('caf\u00e9', 'cafe\u0301')
    await move('cafe\u0301/re\u0301sume\u0301.txt', 'cafe\u0301/r\u00e9sum\u00e9.txt')
    expect(await sync({ delete: true })).toEqual({ unchanged: 1 })
    expect(await sync({ delete: true, include: ['cafe\u0301/*.txt'] })).toEqual({ unchanged: 1 })
    await write('cafe\u0301/r\u00e9sum\u00e9.txt', 'other words')
    expect(await sync({ delete: true })).toEqual({ replaced: 1 })
    expect(await memory.session.documents.list(contextId)).toHaveLength(1)
  })

  it('removes no document if the folder has no file that can be read, unless it is allowed', async () => {
    for (const name of ['a.txt', 'sub/b.txt']) await write(name, `words of ${name}`)
    await sync()
    await rm(folder.path, { recursive: true })
    const missing = sync({ delete: true, allowEmpty: true })
    await expect(missing).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'folder' })
    await mkdir(folder.path)
    const refusal = { code: 'ERR_INVALID_INPUT', field: 'folder', message: expect.stringContaining('(2)') as string }
    await expect(sync({ delete: true })).rejects.toMatchObject(refusal)
    await write('picture.png', 'no text')
    await write('.hidden.txt', 'hidden')
    await write('node_modules/c/readme.md', 'c')
    await expect(sync({ delete: true })).rejects.toMatchObject(refusal)
    await expect(sync({ delete: true, exclude: ['sub/**'] })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect(await sync()).toEqual({})
    expect(await memory.session.documents.list(contextId)).toHaveLength(2)
    expect(await sync({ delete: true, allowEmpty: true })).toEqual({ removed: 2 })
    expect(await sync({ delete: true })).toEqual({})
  })

  it('removes no document of a folder below it that has become empty, as a share that is not mounted', async () => {
    for (let file = 0; file < 11; file += 1) await write(`share/deep/${file}.txt`, `words of ${file}`)
    for (const path of ['a.txt', 'few/b.txt']) await write(path, `words of ${path}`)
    await sync()
    await rm(join(folder.path, 'share/deep'), { recursive: true })
    await write('c.txt', 'new words')
    const refusal = {
      code: 'ERR_INVALID_INPUT',
      field: 'folder',
      message: expect.stringMatching(/share .*\(11\)/) as string,
    }
    await expect(sync({ delete: true })).rejects.toMatchObject(refusal)
    expect(await memory.session.documents.list(contextId)).toHaveLength(13)
    expect(await sync()).toEqual({ added: 1, unchanged: 2 })
    // A user who deletes some files may leave their folder.
    await rm(join(folder.path, 'few/b.txt'))
    expect(await sync({ delete: true, exclude: ['share/**'] })).toEqual({ removed: 1, unchanged: 2 })
    expect(await sync({ delete: true, allowEmpty: true })).toEqual({ removed: 11, unchanged: 2 })
  })

  it('removes the documents of a folder that was removed, and keeps those of files that left an empty folder', async () => {
    for (let file = 0; file < 12; file += 1) {
      await write(`gone/${file}.txt`, `gone ${file}`)
      await write(`left/${file}.txt`, `left ${file}`)
    }
    await sync()
    await rm(join(folder.path, 'gone'), { recursive: true })
    for (let file = 0; file < 12; file += 1) await move(`left/${file}.txt`, `new/${file}.txt`)
    expect(await sync({ delete: true })).toEqual({ removed: 12, unchanged: 12 })
    expect((await described()).map((each) => (each as { readonly path: string }).path)).toContain('new/0.txt')
  })

  it.skipIf(process.platform === 'win32')('removes no document if a folder below it cannot be read', async () => {
    for (const path of ['a.txt', 'sub/deep/b.txt']) await write(path, `words of ${path}`)
    await sync()
    const deep = join(folder.path, 'sub/deep')
    await rm(join(folder.path, 'a.txt'))
    await chmod(deep, 0)
    const { seteuid = () => undefined, getuid = () => 1 } = process
    const isRoot = getuid() === 0
    try {
      // Root reads every folder.
      if (isRoot) {
        await chmod(folder.path, 0o755)
        seteuid(65_534)
      }
      await expect(sync({ delete: true, allowEmpty: true })).rejects.toMatchObject({ code: 'EACCES' })
    } finally {
      if (isRoot) seteuid(0)
      await chmod(deep, 0o700)
    }
    expect(Object.keys(await contents()).sort()).toEqual(['a.txt', 'sub/deep/b.txt'])
    expect(await sync({ delete: true })).toEqual({ removed: 1, unchanged: 1 })
  })

  it.skipIf(process.platform === 'win32')(
    'reads no file through a link that took the place of a file or a folder after the list was made',
    async () => {
      const outside = await temporaryFolder()
      try {
        await writeFile(join(outside.path, 'a.txt'), 'secret')
        for (const path of ['1.txt', 'a.txt', 'sub/a.txt', 'sub2/a.txt']) await write(path, `words of ${path}`)
        const waits = { failed: 3, added: 1 }
        let isSwapped = false
        const failures: [string, unknown][] = []
        const results = await sync({
          onFile: ({ path, outcome, error }) => {
            if (outcome === 'failed') failures.push([path, error])
          },
          signal: signalThat(() => {
            if (isSwapped) return
            isSwapped = true
            rmSync(join(folder.path, 'a.txt'))
            symlinkSync(join(outside.path, 'a.txt'), join(folder.path, 'a.txt'))
            renameSync(join(folder.path, 'sub'), join(folder.path, 'gone'))
            symlinkSync(outside.path, join(folder.path, 'sub'))
            // A hard link, and a folder that holds it, is another file too.
            rmSync(join(folder.path, 'sub2/a.txt'))
            linkSync(join(outside.path, 'a.txt'), join(folder.path, 'sub2/a.txt'))
          }),
        })
        expect(results).toEqual(waits)
        expect(failures.map(([path]) => path)).toEqual(['a.txt', 'sub/a.txt', 'sub2/a.txt'])
        for (const [, error] of failures) expect(error).toContain('no longer the file')
        expect(JSON.stringify(await contents())).not.toContain('secret')
      } finally {
        await outside.remove()
      }
    },
  )

  it('follows a file that was moved to another folder, with the same document', async () => {
    await write('faq.txt', 'old words')
    await sync()
    const [before] = await memory.session.documents.list(contextId)
    await mkdir(join(folder.path, 'sub'))
    await rename(join(folder.path, 'faq.txt'), join(folder.path, 'sub/faq.txt'))
    expect(await sync({ delete: true })).toEqual({ unchanged: 1 })
    expect(await contents()).toEqual({ 'sub/faq.txt': 'old words' })
    await write('sub/faq.txt', 'new words')
    expect(await sync()).toEqual({ replaced: 1 })
    expect((await memory.session.documents.list(contextId)).map(({ id }) => id)).toEqual([before?.id])
  })

  it('keeps the metadata that a user gave a document', async () => {
    await write('a.txt', 'alpha')
    await sync()
    const [document] = await memory.session.documents.list(contextId)
    await memory.session.documents.update(document?.uuid ?? '', { metadata: { owner: 'Ada' } })
    await write('a.txt', 'alpha two')
    await sync()
    const [replaced] = await memory.session.documents.list(contextId)
    expect(replaced?.metadata).toEqual({ path: 'a.txt', owner: 'Ada' })
  })

  it('changes nothing if the folder or the context is missing, and stops when it is aborted', async () => {
    await write('a.txt', 'alpha')
    await sync()
    const missing = syncFolder(memory.session, contextId, join(folder.path, 'missing'), { delete: true })
    await expect(missing).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'folder' })
    await expect(syncFolder(memory.session, 999, folder.path)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    const reason = new Error('stopped')
    await expect(sync({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await contents()).toEqual({ 'a.txt': 'alpha' })
  })
})

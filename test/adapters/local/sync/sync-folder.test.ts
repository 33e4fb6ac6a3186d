import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SyncOptions, type SyncSummary, syncFolder } from '../../../../adapters/local/index.js'
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
    const [document] = await memory.session.documents.list(contextId)
    await write(String(document?.metadata['path']), 'other')
    expect(await sync({ delete: true })).toEqual({ added: 1, replaced: 1 })
    expect(Object.values(await contents()).sort()).toEqual(['other', 'same'])
    expect(await sync({ delete: true })).toEqual({ unchanged: 2 })
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

  it('leaves out hidden entries, links and node_modules', async () => {
    await write('.git/a.txt', 'a')
    await write('node_modules/b/readme.md', 'b')
    await write('c.txt', 'c')
    await symlink(join(folder.path, 'c.txt'), join(folder.path, 'd.txt'))
    await symlink(folder.path, join(folder.path, 'round'))
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

  it('finds a renamed file', async () => {
    await write('old.txt', 'words')
    await sync()
    await rename(join(folder.path, 'old.txt'), join(folder.path, 'new.txt'))
    expect(await sync({ delete: true })).toEqual({ added: 1, removed: 1 })
    expect(await contents()).toEqual({ 'new.txt': 'words' })
  })

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

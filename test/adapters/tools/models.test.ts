import { chmod, cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addModel, checkModel, listModels, openLocalEngine } from '../../../adapters/local/index.js'
import { bundledModel } from '../../bundled-model.js'
import { type TinyModelKind, tinyGraph, writeModelFiles, writeTinyModel } from '../../fixtures/tiny-models.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

const TEXTS = {
  'harbour.txt': 'The harbour is closed in winter. Ships may not enter the port between November and March.',
  'leave.txt': 'Parental leave takes eighteen weeks. The number of weeks is the same for each parent.',
  'library.txt': 'The library opens at nine in the morning. Members borrow ten books for four weeks.',
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})
afterEach(async () => {
  await folder.remove()
})

async function writeModel(kind: TinyModelKind, name: string = kind): Promise<string> {
  const path = join(folder.path, 'given', name)
  await writeTinyModel(path, kind)
  return path
}

describe.each<TinyModelKind>(['unigram', 'bpe'])('a %s model', (kind) => {
  it('is added, embeds documents, and finds them', async () => {
    const given = await writeModel(kind)
    const added = await addModel({ dataDir, folder: given })
    expect(added).toMatchObject({
      id: kind,
      tokenizer: '@huggingface/tokenizers',
      dimensions: 48,
      windowTokens: 128,
      isNew: true,
    })
    // The copy is complete, and the folder that was given is unchanged.
    expect(await readdir(given)).not.toContain('profile.json')
    await rm(given, { recursive: true })

    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const settings = { embeddingModel: kind, chunkSizeTokens: 40, topN: 1, searchMode: 'semantic' } as const
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
    for (const [name, text] of Object.entries(TEXTS)) await uploadText(session, id, name, text)
    const documents = await session.documents.list(id)
    for (const [question, expected] of [
      ['ships enter the port in winter', 'harbour.txt'],
      ['weeks of parental leave', 'leave.txt'],
      ['the library opens in the morning', 'library.txt'],
    ] as const) {
      const [best] = await session.search(id, question)
      expect(documents.find((document) => document.id === best?.docId)?.originalName).toBe(expected)
    }
    await engine.close()
  })
})

describe('the models of a data folder', () => {
  it('are the bundled one and those that were added', async () => {
    expect((await listModels({ dataDir })).map(({ id }) => id)).toEqual(['all-MiniLM-L6-v2'])
    await addModel({ dataDir, folder: await writeModel('bpe'), id: 'other', queryPrefix: 'q: ' })
    expect(await listModels({ dataDir })).toMatchObject([
      { id: 'all-MiniLM-L6-v2', tokenizer: 'word-piece', isDefault: true },
      {
        id: 'other',
        tokenizer: '@huggingface/tokenizers',
        queryPrefix: 'q: ',
        isDefault: false,
        folder: join(dataDir, 'models', 'other'),
      },
    ])
    expect((await stat(join(dataDir, 'models'))).mode & 0o077).toBe(0)
  })

  it('keep the scale of an added model in its profile', async () => {
    const given = join(folder.path, 'given', 'mini')
    await cp(bundledModel, given, { recursive: true })
    const profile = JSON.parse(await readFile(join(given, 'profile.json'), 'utf8')) as { similarity?: unknown }
    const { similarity, ...others } = profile
    await writeFile(join(given, 'profile.json'), JSON.stringify({ ...others, id: 'mini' }))
    await addModel({ dataDir, folder: given })
    const [, added] = await listModels({ dataDir })
    expect(added?.similarity?.languages).toEqual((similarity as { languages: readonly string[] }).languages)
    expect((await checkModel(given)).similarity).toEqual(added?.similarity)
  })

  it('do not change when a model is added a second time, and refuse another model of the same id', async () => {
    const given = await writeModel('bpe')
    await addModel({ dataDir, folder: given })
    expect(await addModel({ dataDir, folder: given })).toMatchObject({ id: 'bpe', isNew: false })
    for (const id of ['bpe', 'all-MiniLM-L6-v2', '../up', '.hidden']) {
      const other = await writeModel('unigram')
      await expect(addModel({ dataDir, folder: other, id })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    }
    expect(await readdir(join(dataDir, 'models'))).toEqual(['bpe'])
  })

  it('do not have a model that does not run, nor a part of it', async () => {
    const given = await writeModel('unigram')
    await writeModelFiles(given, { 'onnx/model_quantized.onnx': tinyGraph(2_000, { operatorSet: 20 }) })
    await expect(addModel({ dataDir, folder: given })).rejects.toMatchObject({ code: 'ERR_MODEL_UNSUPPORTED' })
    expect(await readdir(join(dataDir, 'models'))).toEqual([])
  })

  it('do not keep what a killed process has left a day ago', async () => {
    const [old, recent] = [join(dataDir, 'models', '.adding-old'), join(dataDir, 'models', '.adding-recent')]
    for (const left of [old, recent]) await mkdir(left, { recursive: true })
    await utimes(old, new Date('2026-01-01'), new Date('2026-01-01'))
    expect(await listModels({ dataDir })).toHaveLength(1)
    await addModel({ dataDir, folder: await writeModel('bpe') })
    expect((await readdir(join(dataDir, 'models'))).sort()).toEqual(['.adding-recent', 'bpe'])
  })

  it('can be in a folder that the process may not write', async () => {
    const given = await writeModel('bpe')
    const open = join(folder.path, 'open')
    await mkdir(open)
    await chmod(open, 0o777)
    await chmod(folder.path, 0o755)
    await chmod(given, 0o555)
    const model = await asNobody(async () => (await listModels({ dataDir, modelDirs: [given] }))[0])
    expect(model).toMatchObject({ id: 'bpe', tokenizer: '@huggingface/tokenizers', isDefault: true })
    expect(await readdir(given)).not.toContain('profile.json')
    // An engine makes the profile again, and has the model too.
    const engine = await asNobody(
      async () => await openLocalEngine({ dataDir: join(open, 'data'), modelDirs: [given] }),
    )
    await engine.close()
    await chmod(given, 0o755)
  })
})

/** Root may write anywhere, so a test of permissions takes another user's. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await work()
  process.seteuid?.(65_534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

describe('a check of a model', () => {
  it('says what it costs, and that it works', async () => {
    const given = await writeModel('unigram')
    const report = await checkModel(given)
    expect(await readdir(given)).not.toContain('profile.json')
    expect(report.checks.filter(({ isRight }) => !isRight)).toEqual([])
    expect(report).toMatchObject({ isUsable: true, tokenizer: '@huggingface/tokenizers', measuredTokens: 128 })
    for (const figure of [report.sizeMb, report.loadMs, report.queryMs, report.windowsPerSecond]) {
      expect(figure).toBeGreaterThan(0)
    }
  })

  it('finds a profile that promises longer windows than the model has', async () => {
    const given = await writeModel('bpe')
    // Ids beyond the vectors of this graph cannot be looked up: such a model fails as one with too few positions does.
    await writeModelFiles(given, { 'onnx/model.onnx': tinyGraph(40) })
    await expect(checkModel(given)).rejects.toThrow()
  })

  it('refuses weights that the profile does not name', async () => {
    const given = await writeModel('bpe')
    await (await openLocalEngine({ dataDir, modelDirs: [given] })).close()
    await writeFile(join(given, 'onnx/model.onnx'), 'other weights')
    await expect(checkModel(given)).rejects.toMatchObject({ code: 'ERR_MODEL_CHANGED' })
  })
})

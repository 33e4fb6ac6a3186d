import { cp, mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addModel, downloadModel, MODEL_CATALOG } from '../../../../adapters/local/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { writeSmallModel } from './small-model.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  await writeSmallModel(join(folder.path, 'small'))
})
afterAll(async () => {
  await folder.remove()
})

let given: string
let dataDir: string
beforeEach(async () => {
  given = await mkdtemp(join(folder.path, 'given-'))
  dataDir = await mkdtemp(join(folder.path, 'data-'))
})

/** A folder of that name with the small model. */
async function modelFolder(name: string, files: Readonly<Record<string, object>> = {}): Promise<string> {
  const path = join(given, name)
  await cp(join(folder.path, 'small'), path, { recursive: true })
  if (Object.keys(files).length > 0) await writeSmallModel(path, files)
  return path
}

describe('a model of a known family', () => {
  it.each([
    [
      'multilingual-e5-small',
      /E5.*queryPrefix "query: " \(--query-prefix\) and passagePrefix "passage: " \(--passage-prefix\)/,
    ],
    ['e5-base-v2', /queryPrefix "query: "/],
    ['nomic-embed-text-v1.5', /queryPrefix "search_query: ".* and passagePrefix "search_document: "/],
    ['bge-small-en-v1.5', /queryPrefix "Represent this sentence.*pooling "cls" \(--pooling\)/],
    ['bge-m3', /: give pooling "cls" \(--pooling\)/],
    ['snowflake-arctic-embed-m', /queryPrefix "Represent.*pooling "cls"/],
    ['snowflake-arctic-embed-m-v2.0', /queryPrefix "query: " .*pooling "cls"/],
  ])('is not added without what %s needs', async (name, message) => {
    await expect(addModel({ dataDir, folder: await modelFolder(name) })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(message) as string,
    })
  })

  it('is recognised by the name in its config.json', async () => {
    const config = { _name_or_path: 'intfloat/multilingual-e5-base', model_type: 'bert', hidden_size: 48 }
    const path = await modelFolder('my-model', { 'config.json': { ...config, max_position_embeddings: 600 } })
    await expect(addModel({ dataDir, folder: path })).rejects.toThrow(/family E5/)
  })

  it('is added with what the caller gives, also if that is empty', async () => {
    const path = await modelFolder('bge-small-en-v1.5')
    const model = await addModel({ dataDir, folder: path, queryPrefix: '', pooling: 'mean' })
    expect(model).toMatchObject({ isNew: true, queryPrefix: '', pooling: 'mean' })
  })

  it('is added without options if its own files say what it needs', async () => {
    const path = await modelFolder('multilingual-e5-small', {
      'config_sentence_transformers.json': { prompts: { query: 'query: ', passage: 'passage: ' } },
    })
    expect(await addModel({ dataDir, folder: path })).toMatchObject({
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
    })
    const bge = await modelFolder('bge-m3', { '1_Pooling/config.json': { pooling_mode_cls_token: true } })
    expect(await addModel({ dataDir, folder: bge })).toMatchObject({ pooling: 'cls', queryPrefix: '' })
  })

  it('keeps its pooling in the profile', async () => {
    await addModel({ dataDir, folder: await modelFolder('bge-m3'), pooling: 'cls' })
    const profile = await readFile(join(dataDir, 'models', 'bge-m3', 'profile.json'), 'utf8')
    expect(JSON.parse(profile)).toMatchObject({ pooling: 'cls' })
  })

  it('is no model whose name is like it', async () => {
    for (const name of ['multilingual-e5-large-instruct', 'e5-mistral-7b', 'cabbage-m3']) {
      expect(await addModel({ dataDir, folder: await modelFolder(name) })).toMatchObject({ id: name, isNew: true })
    }
  })
})

describe('the catalog', () => {
  it('has each name and repository once', () => {
    for (const key of ['name', 'repository'] as const) {
      expect(new Set(MODEL_CATALOG.map((model) => model[key])).size).toBe(MODEL_CATALOG.length)
    }
  })

  it('has a licence for each model, and a reason and another model for each that cannot run', async () => {
    const names = MODEL_CATALOG.map(({ name }) => name)
    for (const { name, licence, problem } of MODEL_CATALOG) {
      expect(licence).not.toBe('')
      if (problem === null) continue
      await expect(downloadModel({ dataDir, name })).rejects.toMatchObject({ code: 'ERR_MODEL_UNSUPPORTED' })
      expect(names.some((other) => other !== name && problem.includes(other))).toBe(true)
    }
  })
})

import { cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  addModel,
  type DownloadModelOptions,
  type DownloadProgress,
  downloadModel,
  listModels,
  openLocalEngine,
} from '../../../../adapters/local/index.js'
import { bundledModel } from '../../../bundled-model.js'
import { tinyGraph } from '../../../fixtures/tiny-models.js'
import { type HubServer, startHubServer } from '../../../servers/hub-server.js'
import { NEW_CONTEXT, uploadText } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { writeSmallModel } from './small-model.js'

const WEIGHTS = 'onnx/model_quantized.onnx'
/** The place of the weights that the hub redirects to. */
const CUT = /^\/cdn\/.*\.onnx$/
const REPOSITORY = 'maker/small'

let published: Awaited<ReturnType<typeof temporaryFolder>>
let hub: HubServer
let commit: string
beforeAll(async () => {
  published = await temporaryFolder()
  hub = await startHubServer()
  await writeSmallModel(join(published.path, 'small'), {
    'model.safetensors': Buffer.alloc(500_000),
    'onnx/model.onnx': Buffer.alloc(500_000),
  })
  commit = await hub.publish(REPOSITORY, join(published.path, 'small'))
})
afterAll(async () => {
  await hub.close()
  await published.remove()
})

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  hub.requests.length = 0
})
afterEach(async () => {
  hub.recover()
  await folder.remove()
})

async function download(
  options: Partial<DownloadModelOptions> = {},
): Promise<Awaited<ReturnType<typeof downloadModel>>> {
  return await downloadModel({ dataDir, name: REPOSITORY, endpoint: hub.url, ...options })
}

/** The requests for the weights, at the hub and where it redirects to. */
function weightsRequests(): readonly (string | undefined)[] {
  return hub.requests.filter(({ path }) => path.startsWith('/cdn/') && path.endsWith(WEIGHTS)).map(({ range }) => range)
}

async function stopInTheMiddle(): Promise<void> {
  const abort = new AbortController()
  const stopped = download({
    signal: abort.signal,
    onProgress: ({ file, bytes }) => {
      if (file === WEIGHTS && bytes > 1_500_000) abort.abort(new Error('stopped'))
    },
  })
  await expect(stopped).rejects.toThrow('stopped')
}

async function visibleModels(): Promise<string[]> {
  return (await readdir(join(dataDir, 'models'))).filter((name) => !name.startsWith('.'))
}

async function hiddenFolders(): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'models'), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && entry.name.startsWith('.')).map(({ name }) => name)
}

describe('a model of the hub', () => {
  it('is downloaded at a commit, checked, added, and finds documents', async () => {
    const from = join(published.path, 'mini')
    await cp(bundledModel, from, { recursive: true })
    const at = await hub.publish('Xenova/all-MiniLM-L6-v2', from)
    const model = await download({ name: 'Xenova/all-MiniLM-L6-v2', id: 'mini' })
    expect(model).toMatchObject({
      id: 'mini',
      isNew: true,
      dimensions: 384,
      windowTokens: 256,
      pooling: 'mean',
      source: { repository: 'Xenova/all-MiniLM-L6-v2', commit: at },
      similarity: { languages: ['en'] },
    })
    expect(await listModels({ dataDir })).toMatchObject([{ isDefault: true }, { id: 'mini', source: { commit: at } }])
    expect(await hiddenFolders()).toEqual([])

    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { embeddingModel: 'mini' } })
    await uploadText(session, id, 'leave.txt', 'Parental leave takes eighteen weeks.')
    expect(await session.search(id, 'How long is the parental leave?')).toHaveLength(1)
    await engine.close()
  })

  it('comes with the files that the engine reads, and no others', async () => {
    await download()
    const files = hub.requests.map(({ path }) => /\/resolve\/[^/]+\/(.*)$/.exec(path)?.[1]).filter((path) => path)
    expect(files.sort()).toEqual(['config.json', WEIGHTS, 'tokenizer.json', 'tokenizer_config.json'])
    const added = await readdir(join(dataDir, 'models', 'small'), { recursive: true })
    expect(added.sort()).toEqual(
      ['config.json', 'onnx', WEIGHTS, 'profile.json', 'tokenizer.json', 'tokenizer_config.json'].sort(),
    )
    const profile = JSON.parse(await readFile(join(dataDir, 'models', 'small', 'profile.json'), 'utf8')) as object
    expect(profile).toMatchObject({ source: { repository: REPOSITORY, commit } })
  })

  it('says how far it is', async () => {
    const progress: DownloadProgress[] = []
    await download({ onProgress: (each) => progress.push(each) })
    const total = progress[0]?.totalBytes
    expect(progress.at(-1)).toEqual({ file: WEIGHTS, bytes: total, totalBytes: total })
    const bytes = progress.map((each) => each.bytes)
    expect(bytes).toEqual([...bytes].sort((one, other) => one - other))
  })

  it('is there already the second time, also without a network if its commit is named', async () => {
    const first = await download()
    expect(await download()).toEqual({ ...first, isNew: false })
    expect(weightsRequests()).toHaveLength(1)
    expect(await download({ revision: commit, endpoint: 'http://127.0.0.1:9' })).toMatchObject({ isNew: false })
  })

  it('is another model at another commit, which needs another id', async () => {
    await download({ revision: commit })
    const changed = join(published.path, 'changed')
    await writeSmallModel(changed, { 'README.md': { text: 'A newer one.' } })
    const newer = await hub.publish('maker/moving', join(published.path, 'small'))
    await download({ name: 'maker/moving', id: 'moving' })
    const newest = await hub.publish('maker/moving', changed)
    await expect(download({ name: 'maker/moving', id: 'moving' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(new RegExp(`moving is there at commit ${newer}.*give another id`)) as string,
    })
    expect(await download({ name: 'maker/moving', id: 'moving', revision: newer })).toMatchObject({ isNew: false })
    expect(await download({ name: 'maker/moving', id: 'newest' })).toMatchObject({
      isNew: true,
      source: { commit: newest },
    })
  })

  it('comes with the package if it is the one of new contexts', async () => {
    for (const name of ['all-MiniLM-L6-v2', 'Xenova/all-MiniLM-L6-v2']) {
      expect(await download({ name })).toMatchObject({ id: 'all-MiniLM-L6-v2', isNew: false, isDefault: true })
    }
    expect(hub.requests).toEqual([])
    await expect(download({ name: 'all-MiniLM-L6-v2', queryPrefix: 'ask: ' })).rejects.toThrow()
  })

  it('does not take the id of another model, and downloads nothing then', async () => {
    await expect(download({ id: 'all-MiniLM-L6-v2' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'id',
    })
    await expect(download({ id: '../up' })).rejects.toMatchObject({ field: 'id' })
    await download()
    await expect(download({ queryPrefix: 'ask: ' })).rejects.toMatchObject({ field: 'id' })
    expect(weightsRequests()).toHaveLength(1)
  })

  it('gets the facts of its card if its name is known, and those of the caller first', async () => {
    const e5 = join(published.path, 'e5')
    await writeSmallModel(e5)
    await hub.publish('Xenova/multilingual-e5-small', e5)
    expect(await download({ name: 'multilingual-e5-small' })).toMatchObject({
      id: 'multilingual-e5-small',
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      pooling: 'mean',
      windowTokens: 512,
    })
    await hub.publish('Xenova/bge-small-en-v1.5', e5)
    expect(await download({ name: 'bge-small-en-v1.5', queryPrefix: '', windowTokens: 300 })).toMatchObject({
      queryPrefix: '',
      passagePrefix: '',
      pooling: 'cls',
      windowTokens: 300,
    })
  })

  it('is added to another data folder from the first one, without options', async () => {
    await hub.publish('Xenova/multilingual-e5-small', join(published.path, 'small'))
    const { folder: added, source } = await download({ name: 'multilingual-e5-small' })
    const other = await addModel({ dataDir: join(folder.path, 'other'), folder: added })
    expect(other).toMatchObject({ isNew: true, queryPrefix: 'query: ', passagePrefix: 'passage: ', source })
  })

  it('is brought once by two downloads at the same time', async () => {
    const [one, other] = await Promise.all([download(), download()])
    expect([one.isNew, other.isNew].sort()).toEqual([false, true])
    expect(weightsRequests()).toHaveLength(1)
    expect(await visibleModels()).toEqual(['small'])
  })

  it('sends the token to the hub alone', async () => {
    await download({ token: 'hf_secret' })
    const sent = (isHub: boolean): Set<string | undefined> =>
      new Set(hub.requests.filter(({ path }) => path.startsWith('/cdn/') !== isHub).map((each) => each.authorization))
    expect(sent(true)).toEqual(new Set(['Bearer hf_secret']))
    expect(sent(false)).toEqual(new Set([undefined]))
  })
})

describe('a download that stops', () => {
  it('goes on by itself where the connection was cut', async () => {
    const size = (await stat(join(published.path, 'small', WEIGHTS))).size
    hub.fail({ path: CUT, times: 2, cutAfter: 2_000_000 })
    await download()
    const ranges = weightsRequests()
    expect(ranges).toHaveLength(3)
    expect(ranges[0]).toBeUndefined()
    for (const range of ranges.slice(1)) expect(range).toMatch(new RegExp(`^bytes=[1-9]\\d*-${size - 1}$`))
    // `toEqual` compares 23 MB number by number, for a minute.
    const [there, here] = [
      await readFile(join(published.path, 'small', WEIGHTS)),
      join(dataDir, 'models', 'small', WEIGHTS),
    ]
    expect((await readFile(here)).equals(there)).toBe(true)
  })

  it('shows no model, and the next run goes on with what is there', async () => {
    await stopInTheMiddle()
    expect(await visibleModels()).toEqual([])
    expect(await hiddenFolders()).toHaveLength(1)
    // An engine opens the folder meanwhile, and knows the bundled model alone.
    await (await openLocalEngine({ dataDir })).close()
    expect(await listModels({ dataDir })).toHaveLength(1)

    expect(await download()).toMatchObject({ isNew: true })
    expect(weightsRequests().at(-1)).toMatch(/^bytes=[1-9]/)
    expect(await hiddenFolders()).toEqual([])
  })

  it('begins at the first byte again at a server that knows no ranges', async () => {
    hub.fail({ path: CUT, ignoresRange: true })
    hub.fail({ path: CUT, times: 1, cutAfter: 2_000_000 })
    expect(await download()).toMatchObject({ isNew: true })
    expect(weightsRequests()).toHaveLength(2)
  })

  it('does not trust the part of an earlier run', async () => {
    await stopInTheMiddle()
    const [hidden = ''] = await hiddenFolders()
    const part = join(dataDir, 'models', hidden, WEIGHTS)
    await writeFile(part, Buffer.alloc((await stat(part)).size))
    expect(await download()).toMatchObject({ isNew: true })
    expect(weightsRequests().slice(-2)).toEqual([expect.stringMatching(/^bytes=/) as string, undefined])
  })
})

describe('the part of a download', () => {
  it.each([
    ['a page', { ignoresRange: true, content: () => Buffer.from('<html>Sign in</html>') }],
    ['a page of type text/html', { ignoresRange: true, headers: { 'content-type': 'text/html; charset=utf-8' } }],
    ['another range', { headers: { 'content-range': 'bytes 7-9/10' } }],
  ])('stays if a server answers with %s', async (_name, fault) => {
    await stopInTheMiddle()
    const [hidden = ''] = await hiddenFolders()
    const { size } = await stat(join(dataDir, 'models', hidden, WEIGHTS))
    hub.fail({ path: CUT, ...fault })
    await expect(download()).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(/does not answer as the Hugging Face hub does/) as string,
    })
    expect((await stat(join(dataDir, 'models', hidden, WEIGHTS))).size).toBe(size)
    hub.recover()
    await download()
    expect(weightsRequests().at(-1)).toMatch(new RegExp(`^bytes=${size}-`))
  })

  it('stays if the answer of a server that knows no ranges is cut before its end', async () => {
    await stopInTheMiddle()
    const [hidden = ''] = await hiddenFolders()
    const { size } = await stat(join(dataDir, 'models', hidden, WEIGHTS))
    hub.fail({ path: CUT, ignoresRange: true, cutAfter: 1_000 })
    await expect(download()).rejects.toMatchObject({ code: 'ERR_MODEL_UNAVAILABLE' })
    expect((await stat(join(dataDir, 'models', hidden, WEIGHTS))).size).toBe(size)
  })

  it('stays while the same commit is downloaded under another id, and goes on after that', async () => {
    await stopInTheMiddle()
    const [hidden = ''] = await hiddenFolders()
    const { size } = await stat(join(dataDir, 'models', hidden, WEIGHTS))
    const other = { id: 'other', dimensions: 16 }
    expect(await download(other)).toMatchObject({ id: 'other', isNew: true, source: { commit } })
    expect(await download({ ...other, revision: commit })).toMatchObject({ isNew: false })
    expect(await hiddenFolders()).toEqual([hidden])
    hub.requests.length = 0
    expect(await download()).toMatchObject({ id: 'small', isNew: true, dimensions: 48 })
    expect(weightsRequests()).toEqual([expect.stringMatching(new RegExp(`^bytes=${size}-`)) as string])
    expect(await hiddenFolders()).toEqual([])
  })

  it('is that of one id: two ids of a commit are downloaded at the same time', async () => {
    const ids = ['one', 'other']
    const models = await Promise.all(ids.map(async (id) => await download({ id })))
    expect(models).toMatchObject(ids.map((id) => ({ id, isNew: true })))
    expect(await visibleModels()).toEqual(ids)
    expect(await hiddenFolders()).toEqual([])
  })

  it('is removed by a later download if its run was killed after it had added the model', async () => {
    await stopInTheMiddle()
    const [hidden = ''] = await hiddenFolders()
    await download()
    for (const options of [{}, { revision: commit }]) {
      await mkdir(join(dataDir, 'models', hidden))
      const old = join(dataDir, 'models', '.adding-download-old')
      await mkdir(old)
      await utimes(old, new Date(0), new Date(0))
      expect(await download(options)).toMatchObject({ isNew: false })
      expect(await hiddenFolders()).toEqual([])
    }
  })
})

describe('a model that the engine cannot run', () => {
  it('is refused before anything is downloaded, if its name is known', async () => {
    for (const name of ['jina-embeddings-v3', 'jinaai/jina-embeddings-v3', 'google/embeddinggemma-300m']) {
      await expect(download({ name })).rejects.toMatchObject({
        code: 'ERR_MODEL_UNSUPPORTED',
        message: expect.stringMatching(/cannot run on this engine: .*use multilingual-e5/) as string,
      })
    }
    expect(hub.requests).toEqual([])
  })

  it('is refused before its weights are downloaded, if its files say so', async () => {
    const dense = join(published.path, 'dense')
    await writeSmallModel(dense, { 'modules.json': [{ type: 'sentence_transformers.models.Dense' }] })
    await hub.publish('maker/dense', dense)
    await expect(download({ name: 'maker/dense' })).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(/^the model in maker\/dense cannot be used: .*Dense/) as string,
    })
    expect(weightsRequests()).toEqual([])
    expect(await hiddenFolders()).toEqual([])
  })

  it('is refused if the repository has no graph, with names of models that have one', async () => {
    const bare = join(published.path, 'bare-e5')
    await mkdir(bare)
    await writeFile(join(bare, 'config.json'), '{}')
    await hub.publish('maker/bare-e5', bare)
    await expect(download({ name: 'maker/bare-e5' })).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(
        /has no onnx\/model_quantized\.onnx or onnx\/model\.onnx: .*multilingual-e5/,
      ) as string,
    })
  })

  it('is not added if its graph is too new, and leaves nothing behind', async () => {
    const tooNew = join(published.path, 'too-new')
    await writeSmallModel(tooNew, { [WEIGHTS]: tinyGraph(30_522, { operatorSet: 20 }) })
    await hub.publish('maker/too-new', tooNew)
    await expect(download({ name: 'maker/too-new' })).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.not.stringContaining('.adding') as string,
    })
    expect(await visibleModels()).toEqual([])
    expect(await hiddenFolders()).toEqual([])
  })

  it('is refused without the prefixes of its family, which its files do not have', async () => {
    const tuned = join(published.path, 'tuned')
    await writeSmallModel(tuned)
    await hub.publish('maker/e5-small-tuned', tuned)
    await expect(download({ name: 'maker/e5-small-tuned' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(/family E5.*queryPrefix "query: " \(--query-prefix\)/) as string,
    })
    expect(weightsRequests()).toEqual([])
    const prefixes = { queryPrefix: 'query: ', passagePrefix: '' }
    expect(await download({ name: 'maker/e5-small-tuned', ...prefixes })).toMatchObject(prefixes)
    await rm(tuned, { recursive: true })
  })
})

import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openModelFolder, profileOf, writeProfile } from '../../../adapters/device/describe-model-folder.js'
import { DeviceEmbeddingModel } from '../../../adapters/device/index.js'
import { toModelFolder } from '../../../adapters/device/model-folder.js'
import { addModel, checkModel } from '../../../adapters/local/index.js'
import { bundledModel } from '../../bundled-model.js'
import { writeModelFiles, writeTinyModel } from '../../fixtures/tiny-models.js'
import { temporaryFolder } from '../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let path: string
beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder.path, 'tiny')
  await writeTinyModel(path, 'unigram')
})
afterEach(async () => {
  await folder.remove()
})

describe('a model folder without a profile', () => {
  it('gets the profile that its own files describe', async () => {
    const { profile, weights } = await openModelFolder(path)
    expect(profile).toMatchObject({
      id: 'tiny',
      dimensions: 48,
      windowTokens: 128,
      pooling: 'mean',
      normalized: true,
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
    })
    expect(weights).toBe('onnx/model_quantized.onnx')
    const written = JSON.parse(await readFile(join(path, 'profile.json'), 'utf8')) as {
      readonly files: Readonly<Record<string, string>>
    }
    const tokenizer = createHash('sha256').update(await readFile(join(path, 'tokenizer.json')))
    expect(written.files['tokenizer.json']).toBe(tokenizer.digest('hex'))
    expect((await openModelFolder(path)).profile).toEqual(profile)
  })

  it('of the bundled model gets the profile that the package has, with its fingerprint', async () => {
    const copy = join(folder.path, 'all-MiniLM-L6-v2')
    await cp(bundledModel, copy, { recursive: true })
    await rm(join(copy, 'profile.json'))
    const { profile } = await openModelFolder(bundledModel)
    expect((await openModelFolder(copy)).profile).toEqual({ ...profile, similarity: undefined })
  })

  it('has the same fingerprint wherever its files are named in the profile', async () => {
    const { profile } = await openModelFolder(path)
    const written = JSON.parse(await readFile(join(path, 'profile.json'), 'utf8')) as { readonly files: object }
    const files = Object.fromEntries(Object.entries(written.files).reverse())
    await writeFile(join(path, 'profile.json'), JSON.stringify({ ...written, files }))
    expect((await openModelFolder(path)).profile.fingerprint).toBe(profile.fingerprint)
  })

  it.each([
    ['the sentence length', { 'sentence_bert_config.json': { max_seq_length: 96 } }, { windowTokens: 96 }],
    ['the tokenizer’s limit', { 'tokenizer_config.json': { model_max_length: 64 } }, { windowTokens: 64 }],
    ['no tokenizer limit', { 'tokenizer_config.json': { model_max_length: 1e30 } }, { windowTokens: 128 }],
    [
      'positions without padding',
      { 'config.json': { model_type: 'bert', hidden_size: 48, max_position_embeddings: 100 } },
      { windowTokens: 100 },
    ],
    [
      'long positions',
      { 'config.json': { hidden_size: 48, max_position_embeddings: 40_000 }, 'tokenizer_config.json': {} },
      { windowTokens: 1_024 },
    ],
    [
      'the first token',
      { '1_Pooling/config.json': { word_embedding_dimension: 48, pooling_mode_cls_token: true } },
      { pooling: 'cls', dimensions: 48 },
    ],
    [
      'a default prompt',
      { 'config_sentence_transformers.json': { prompts: { all: 'text: ' }, default_prompt_name: 'all' } },
      { queryPrefix: 'text: ', passagePrefix: 'text: ' },
    ],
    [
      'a prompt for documents',
      { 'config_sentence_transformers.json': { prompts: { document: 'd: ' }, default_prompt_name: null } },
      { queryPrefix: '', passagePrefix: 'd: ' },
    ],
    ['no last step', { 'modules.json': [{ type: 'sentence_transformers.models.Pooling' }] }, { normalized: false }],
  ])('takes %s from its files', async (_, files, expected) => {
    await writeModelFiles(path, files)
    expect((await openModelFolder(path)).profile).toMatchObject(expected)
  })

  it.each([
    [
      'another pooling',
      { '1_Pooling/config.json': { pooling_mode_lasttoken: true } },
      /pools by pooling_mode_lasttoken/,
    ],
    [
      'two poolings',
      { '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true } },
      /pools by pooling_mode_cls_token and pooling_mode_mean_tokens/,
    ],
    ['a dense layer', { 'modules.json': [{ type: 'sentence_transformers.models.Dense' }] }, /has the step Dense/],
    ['no dimensions', { 'config.json': {}, '1_Pooling/config.json': { pooling_mode_cls_token: true } }, /hidden_size/],
    [
      'two numbers of dimensions',
      { '1_Pooling/config.json': { word_embedding_dimension: 32, pooling_mode_cls_token: true } },
      /its 1_Pooling\/config\.json says 32 dimensions, and its config\.json 48/,
    ],
    ['a broken file', { 'modules.json': Buffer.from('{') }, /its modules\.json is not valid/],
  ])('with %s is refused with the reason', async (_, files, reason) => {
    await writeModelFiles(path, files)
    await expect(openModelFolder(path)).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(reason) as string,
    })
  })

  it('may have longer windows than usual, up to the limit of the model and of the engine', async () => {
    await writeModelFiles(path, {
      'config.json': { hidden_size: 48, max_position_embeddings: 40_000 },
      'tokenizer_config.json': {},
    })
    expect(await profileOf(path, { windowTokens: 8_192 })).toMatchObject({ windowTokens: 8_192 })
    await expect(profileOf(path, { windowTokens: 8_193 })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it.each([
    ['config.json', 'config.json'],
    ['onnx', 'onnx/model_quantized.onnx or onnx/model.onnx'],
    ['tokenizer.json', 'profile.json'],
  ])('and without %s names what is missing', async (name, missing) => {
    await rm(join(path, name), { recursive: true })
    await expect(openModelFolder(path)).rejects.toMatchObject({
      code: 'ERR_MODEL_MISSING',
      message: expect.stringContaining(`no readable ${missing}`) as string,
    })
  })

  it('takes changes of a user, within the limit of the model', async () => {
    const changes = { id: 'mine', queryPrefix: 'q: ', windowTokens: 64 }
    expect(await profileOf(path, changes)).toMatchObject({ ...changes, passagePrefix: 'passage: ' })
    await openModelFolder(path)
    expect(await profileOf(path, changes)).toMatchObject({ ...changes, passagePrefix: 'passage: ' })
    for (const windowTokens of [4, 129]) {
      await expect(profileOf(path, { windowTokens })).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    }
  })

  it('gives fewer dimensions if a user wants them: another fingerprint, and no scale of longer vectors', async () => {
    const whole = toModelFolder(path, await profileOf(path))
    const short = toModelFolder(path, await profileOf(path, { dimensions: 16 }))
    expect(short.profile).toEqual({ ...whole.profile, dimensions: 16, fingerprint: short.profile.fingerprint })
    expect(short.profile.fingerprint).not.toBe(whole.profile.fingerprint)
    const similarity = { unrelated: 0.7, related: 0.9, languages: ['fi'] }
    await writeProfile(path, { ...(await profileOf(path)), similarity })
    expect(await profileOf(path, { id: 'mine', dimensions: 48 })).toMatchObject({ similarity })
    expect(await profileOf(path, { dimensions: 16 })).not.toHaveProperty('similarity')
    for (const dimensions of [7, 12.5, 49]) {
      await expect(profileOf(path, { dimensions })).rejects.toMatchObject({
        code: 'ERR_INVALID_INPUT',
        message: expect.stringMatching(/^dimensions: must be from 8 to 48 for the model in /) as string,
      })
    }
  })
})

describe('a stored profile', () => {
  it.each([
    [49, /dimensions is 49, and the model gives vectors of 48: write 48, or fewer to cut them$/],
    [0, /dimensions must be a whole number of at least 1$/],
    [-48, /dimensions must be a whole number of at least 1$/],
    [12.5, /dimensions must be a whole number of at least 1$/],
  ])('of %d dimensions is refused when the model is opened or added', async (dimensions, reason) => {
    await writeProfile(path, { ...(await profileOf(path)), dimensions })
    const refusal = { code: 'ERR_MODEL_CHANGED', message: expect.stringMatching(reason) as string }
    await expect(DeviceEmbeddingModel.open(path)).rejects.toMatchObject(refusal)
    await expect(addModel({ dataDir: join(folder.path, 'data'), folder: path })).rejects.toMatchObject(refusal)
  })

  it('of fewer dimensions cuts the vectors, and the check of the model says from how many', async () => {
    await writeProfile(path, { ...(await profileOf(path)), dimensions: 16 })
    const { checks, isUsable } = await checkModel(path)
    expect(isUsable).toBe(true)
    expect(checks).toContainEqual({ name: 'dimensions', isRight: true, found: '16, cut from 48' })
  })
})

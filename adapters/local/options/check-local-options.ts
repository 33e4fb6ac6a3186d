import { z } from 'zod'
import { checkEngineOptions, type EngineOptions, InvalidInputError } from '../../../src/index.js'
import { textSchema, validate, withinField } from '../../../src/ports/index.js'
import { HttpReranker } from '../../http-reranker/index.js'
import { KnexStorage } from '../../knex/index.js'
import { OpenAiEmbeddingModel } from '../../openai/index.js'
import { TesseractRecognizer } from '../../tesseract/index.js'
import { parseFilesUrl } from '../folder/file-place.js'
import { openTransport } from '../local-parts.js'
import type { LocalEngineOptions } from './local-engine-options.js'

/** The names of the options that other engines do not have; a type error if one is missing. */
const OWN_NAMES: Readonly<Record<Exclude<keyof LocalEngineOptions, keyof EngineOptions>, true>> = {
  dataDir: true,
  tempDir: true,
  modelDirs: true,
  remoteModels: true,
  remoteReranker: true,
  ocr: true,
  textRecognizer: true,
  signingKeyFile: true,
  secretKeyFile: true,
  knex: true,
  databaseUrl: true,
  filesUrl: true,
  tablePrefix: true,
  webhooks: true,
}

const PATH = textSchema({ min: 1, max: 4_096 })
const OPTIONAL_PATH = PATH.optional()
const FOLDERS = z.array(PATH, { error: 'must be a list of folders' }).optional()
const MODELS = z.array(z.unknown(), { error: 'must be a list of models on servers' }).optional()

/**
 * Checks every option but the folder before the engine creates anything, so that a refused call leaves no folder behind.
 * A value that is no object has no options.
 *
 * @throws InvalidInputError for an unknown or invalid option
 * @throws UnsupportedError if packages for the recognition of text are missing
 * @throws SecretKeyError if `secretKey` does not have 32 bytes
 */
export async function checkLocalOptions(given: unknown): Promise<void> {
  if (typeof given !== 'object' || given === null) return
  const options = given as LocalEngineOptions
  for (const name of ['isAlone', 'isShared']) {
    if (Object.hasOwn(options, name)) throw new InvalidInputError(name, 'openLocalEngine finds this out by itself')
  }
  checkEngineOptions(options, Object.keys(OWN_NAMES))
  const { filesUrl, fileStore, databaseUrl, knex, tablePrefix, webhooks, remoteModels } = options
  validate(OPTIONAL_PATH, options.tempDir, 'tempDir')
  validate(OPTIONAL_PATH, options.signingKeyFile, 'signingKeyFile')
  validate(OPTIONAL_PATH, options.secretKeyFile, 'secretKeyFile')
  validate(FOLDERS, options.modelDirs, 'modelDirs')
  validate(MODELS, remoteModels, 'remoteModels')
  if (filesUrl !== undefined) {
    if (fileStore !== undefined) throw new InvalidInputError('filesUrl', 'cannot be given together with fileStore')
    parseFilesUrl(filesUrl)
  }
  if (databaseUrl !== undefined) {
    for (const other of ['knex', 'storage'] as const) {
      if (options[other] !== undefined)
        throw new InvalidInputError('databaseUrl', `cannot be given together with ${other}`)
    }
  }
  KnexStorage.check({
    knex,
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(tablePrefix !== undefined && { tablePrefix }),
  })
  await openTransport(webhooks).close()
  if (options.remoteReranker !== undefined) {
    if (options.reranker !== undefined) {
      throw new InvalidInputError('remoteReranker', 'cannot be given together with reranker')
    }
    await HttpReranker.check(options.remoteReranker).catch((error: unknown) => {
      throw withinField('remoteReranker', error)
    })
  }
  checkRecognition(options)
  for (const [index, model] of (remoteModels ?? []).entries()) {
    await OpenAiEmbeddingModel.check(model).catch((error: unknown) => {
      throw withinField(`remoteModels[${index}]`, error)
    })
  }
}

function checkRecognition({ ocr, textRecognizer, textExtractor }: LocalEngineOptions): void {
  const given = ocr === undefined ? 'textRecognizer' : 'ocr'
  if ((ocr ?? textRecognizer) === undefined) return
  // The extractor of the host has a recogniser of its own, or none.
  if (textExtractor !== undefined) throw new InvalidInputError(given, 'cannot be given together with textExtractor')
  if (ocr === undefined) return
  if (textRecognizer !== undefined) throw new InvalidInputError('ocr', 'cannot be given together with textRecognizer')
  try {
    TesseractRecognizer.check({ languages: ocr })
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new InvalidInputError('ocr', error.message.replace(/^languages: /, ''))
  }
}

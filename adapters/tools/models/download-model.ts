import { copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidInputError, ModelError } from '../../../src/index.js'
import {
  type ModelProfileChanges,
  type ModelSource,
  modelFactsOf,
  openTokenizer,
  profileOf,
} from '../../device/index.js'
import { MODELS } from '../../local/model-dirs.js'
import { dataDirOf } from '../../local/options/local-engine-options.js'
import { SERVER_KEY } from '../../node-kit/index.js'
import { type AddModelResult, idTaken, modelOfId, placeModel, requireFolderName } from './add-model.js'
import { partialFolder, removeLeftOver, withDownloadLock } from './download-folder.js'
import { HubClient } from './hub/hub-client.js'
import { unknownName } from './hub/hub-errors.js'
import { GIT_HASH } from './hub/hub-file.js'
import { endpointOf, variable } from './hub/hub-options.js'
import { chooseFiles } from './hub/model-files.js'
import { type DownloadProgress, PartialDownload } from './hub/partial-download.js'
import { type CatalogModel, findCatalogModel } from './model-catalog.js'
import { requireFamilyFacts } from './model-families.js'

export interface DownloadModelOptions extends ModelProfileChanges {
  readonly dataDir: string
  /** A name of `MODEL_CATALOG`, or a repository, such as `Xenova/multilingual-e5-small`. */
  readonly name: string
  /** A branch, a tag or a commit. Default: `main`. */
  readonly revision?: string
  /** The URL of the hub or of a mirror. Default: the variable `HF_ENDPOINT`, or `https://huggingface.co`. */
  readonly endpoint?: string
  /** A token for repositories that need one; only the endpoint gets it. Default: the variable `HF_TOKEN`. */
  readonly token?: string
  /** Replaces the fetch of Node, for example to use a proxy. Default: that of Node, or of `undici` for a proxy. */
  readonly fetch?: typeof globalThis.fetch
  /** Ends the download. A later one goes on where it stopped. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: DownloadProgress) => void
}

const REPOSITORY = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/
const REVISION = /^(?!.*\.\.)[\w./-]{1,200}$/

/**
 * Downloads a model from the Hugging Face hub or from a mirror, and adds it as `addModel` does. The revision is resolved
 * to a commit, which the profile keeps with the repository. Only the files that the engine reads are downloaded, and each
 * must have the hash of the listing. A download that stops is kept in a hidden folder, and the next one goes on with it.
 * Downloads into one data folder wait for each other.
 *
 * @returns the model; `isNew` is false if it was there already, at the same commit, or if it comes with the package
 * @throws InvalidInputError for an unknown name, for an id that another model has, and as `addModel`
 * @throws UnsupportedError if the package `@huggingface/hub` is not installed
 * @throws ModelError `ERR_MODEL_UNKNOWN` for a missing repository or revision, `ERR_MODEL_REFUSED` without the right to
 *   read it, `ERR_MODEL_CHANGED` for a wrong hash or commit, `ERR_MODEL_UNSUPPORTED` for a model that the engine cannot run
 * @throws ModelError `ERR_MODEL_UNAVAILABLE` if the hub is away, with `retryAfterMs` if it says when to come back
 * @throws StorageFullError if the disk has no room for it
 */
export async function downloadModel(options: DownloadModelOptions): Promise<AddModelResult> {
  const dataDir = dataDirOf(options)
  const { signal } = options
  const known = findCatalogModel(options.name)
  const { repository, revision, id, changes, token } = checkOptions(options, known)
  const bundled = known && (await findBundled(dataDir, known, options))
  if (bundled !== undefined) return bundled
  const named = { repository, commit: revision }
  const there = GIT_HASH.safeParse(revision).success ? await findThere(dataDir, id, named, changes) : undefined
  if (there !== undefined) {
    await removeLeftOver(dataDir, id, named)
    return there
  }
  const hub = await HubClient.open({
    repository,
    revision,
    endpoint: endpointOf(options.endpoint),
    token,
    fetch: options.fetch,
    signal,
  })
  const source = { repository, commit: await hub.findCommit() }
  const model =
    (await findThere(dataDir, id, source, changes)) ??
    (await withDownloadLock(
      dataDir,
      signal,
      async () =>
        // Another download may have brought it meanwhile.
        (await findThere(dataDir, id, source, changes)) ??
        (await bring(dataDir, hub, source, known, { ...options, id })),
    ))
  if (!model.isNew) await removeLeftOver(dataDir, id, source)
  return model
}

interface CheckedOptions {
  readonly repository: string
  readonly revision: string
  readonly id: string
  readonly changes: ModelProfileChanges
  readonly token: string | undefined
}

/** @throws InvalidInputError @throws ModelError for a known model that cannot run */
function checkOptions(options: DownloadModelOptions, known: CatalogModel | undefined): CheckedOptions {
  if (known !== undefined && known.problem !== null) {
    throw new ModelError('ERR_MODEL_UNSUPPORTED', `${known.name} cannot run on this engine: ${known.problem}`)
  }
  const repository = known?.repository ?? options.name
  if (!REPOSITORY.test(repository) || repository.includes('..')) throw unknownName(options.name)
  const revision = options.revision ?? 'main'
  if (!REVISION.test(revision)) {
    throw new InvalidInputError('revision', 'must be the name of a branch or a tag, or a commit')
  }
  const id = options.id ?? known?.name ?? repository.split('/').at(-1) ?? ''
  requireFolderName(id)
  const token = options.token ?? variable('HF_TOKEN')
  if (token !== undefined && !SERVER_KEY.safeParse(token).success) {
    throw new InvalidInputError('token', 'must be printable ASCII without white space (HF_TOKEN)')
  }
  return { repository, revision, id, changes: changesOf(options), token }
}

function changesOf({
  queryPrefix,
  passagePrefix,
  windowTokens,
  dimensions,
  pooling,
}: ModelProfileChanges): ModelProfileChanges {
  return {
    ...(queryPrefix !== undefined && { queryPrefix }),
    ...(passagePrefix !== undefined && { passagePrefix }),
    ...(windowTokens !== undefined && { windowTokens }),
    ...(dimensions !== undefined && { dimensions }),
    ...(pooling !== undefined && { pooling }),
  }
}

/**
 * @returns the model of that id, if it has the same commit and the wanted facts; undefined if no model has the id
 * @throws InvalidInputError if another model has it
 */
async function findThere(
  dataDir: string,
  id: string,
  { repository, commit }: ModelSource,
  changes: ModelProfileChanges,
): Promise<AddModelResult | undefined> {
  const model = await modelOfId(dataDir, id)
  if (model === undefined) return undefined
  const isSame = model.source?.repository === repository && model.source.commit === commit
  const facts = Object.entries(changes) as [keyof ModelProfileChanges, unknown][]
  if (isSame && facts.every(([name, value]) => model[name] === value)) return { ...model, isNew: false }
  if (model.source?.repository !== repository) throw idTaken(model)
  throw new InvalidInputError(
    'id',
    isSame
      ? `${id} is there with other prefixes or another window, which cannot change once a context uses it: give another id`
      : `${id} is there at commit ${model.source.commit}, and contexts may use it: give another id to have ${commit} beside it`,
  )
}

/** @returns the model in the package, if that is the one that is asked for, as it is */
async function findBundled(
  dataDir: string,
  { name }: CatalogModel,
  options: DownloadModelOptions,
): Promise<AddModelResult | undefined> {
  const isOwn = (options.id ?? name) !== name || options.revision !== undefined
  if (isOwn || Object.keys(changesOf(options)).length > 0) return undefined
  const model = await modelOfId(dataDir, name)
  return model?.isDefault === true && model.source === undefined ? { ...model, isNew: false } : undefined
}

async function bring(
  dataDir: string,
  hub: HubClient,
  source: ModelSource,
  known: CatalogModel | undefined,
  options: DownloadModelOptions & { readonly id: string },
): Promise<AddModelResult> {
  const { repository, commit } = source
  const files = chooseFiles(repository, await hub.listFiles(commit))
  const folder = partialFolder(dataDir, options.id, source)
  const partial = new PartialDownload(folder, hub, commit, options.onProgress)
  await partial.prepare([...files.small, ...files.weights])
  const use = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      // These files will never make a model. Others are kept for the next attempt.
      if (error instanceof ModelError && error.code === 'ERR_MODEL_UNSUPPORTED') await partial.remove()
      throw namedAfter(repository, dataDir, error)
    }
  }
  for (const file of files.small) await partial.bring(file)
  const changes = await use(async () => await checkFacts(folder, options, known, repository))
  for (const file of files.weights) await partial.bring(file)
  const model = await use(async () => {
    const profile = { ...(await profileOf(folder, changes)), source }
    return await placeModel(dataDir, folder, profile, linkOrCopy)
  })
  await partial.remove()
  return model
}

/** Checks before the weights are downloaded if they can be used. @returns the facts that the files do not have */
async function checkFacts(
  folder: string,
  options: DownloadModelOptions & { readonly id: string },
  known: CatalogModel | undefined,
  repository: string,
): Promise<ModelProfileChanges> {
  const given = changesOf(options)
  const changes: ModelProfileChanges = {
    ...(known && { queryPrefix: known.queryPrefix, passagePrefix: known.passagePrefix, pooling: known.pooling }),
    ...given,
    id: options.id,
  }
  const facts = await modelFactsOf(folder, changes)
  await requireFamilyFacts(folder, facts, changes, repository.split('/').at(-1))
  // It may be one that the engine cannot read.
  await (await openTokenizer(folder)).close()
  const windowTokens = given.windowTokens ?? Math.min(facts.windowTokens, known?.windowTokens ?? facts.windowTokens)
  return { ...changes, windowTokens }
}

/** A link takes no second space for the weights. Some file systems have none. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async () => await copyFile(from, to))
}

/** Names the repository in the place of the hidden folder, which a user has never seen. */
function namedAfter(repository: string, dataDir: string, error: unknown): unknown {
  if (!(error instanceof ModelError)) return error
  const hidden = join(dataDir, MODELS, '.adding-')
  const at = error.message.indexOf(hidden)
  if (at < 0) return error
  const rest = error.message.slice(at + hidden.length).replace(/^[^\s:;,]*/, '')
  const message = `${error.message.slice(0, at)}${repository}${rest}`
  return new ModelError(error.code, message, { cause: error })
}

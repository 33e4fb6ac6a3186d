import { ModelError } from '../../../../src/index.js'
import { TOKENIZER_FILE, WEIGHTS_FILES } from '../../../device/index.js'
import { OTHER_FILES } from '../add-model.js'
import { similarNames } from '../model-catalog.js'
import type { HubFile } from './hub-file.js'

/** Sizes in bytes that no embedding model of this engine has. A listing with more is refused before anything is read. */
const LARGEST = { weights: 16e9, tokenizer: 200e6, other: 20e6 }

/** The files of a model that the engine reads. */
interface ModelFiles {
  /** All but the weights: they say if the engine can run the model. */
  readonly small: readonly HubFile[]
  readonly weights: readonly HubFile[]
}

/**
 * Chooses the files that the engine reads, by their own names: a listing cannot name another place on this disk.
 *
 * @throws ModelError `ERR_MODEL_UNSUPPORTED` for a repository without the layout of transformers.js, or with sizes that
 *   no such model has
 */
export function chooseFiles(repository: string, listed: ReadonlyMap<string, HubFile>): ModelFiles {
  const graph = WEIGHTS_FILES.map((path) => listed.get(path)).find((file) => file !== undefined)
  const lacks = graph === undefined ? WEIGHTS_FILES.join(' or ') : NEEDED.find((path) => !listed.has(path))
  if (graph === undefined || lacks !== undefined) {
    throw unsupported(
      repository,
      `has no ${lacks ?? ''}: take a conversion for transformers.js, as the owners onnx-community and Xenova have them, or a known model such as ${similarNames(repository).join(', ')}`,
    )
  }
  // An export of a large model keeps the weights beside the graph.
  const beside = [`${graph.path}_data`, `${graph.path}.data`].map((path) => listed.get(path)).find((file) => file)
  const weights = [graph, ...(beside === undefined ? [] : [beside])]
  const small = [TOKENIZER_FILE, ...OTHER_FILES].flatMap((path) => listed.get(path) ?? [])
  for (const file of weights) requireSize(repository, file, LARGEST.weights)
  for (const file of small)
    requireSize(repository, file, file.path === TOKENIZER_FILE ? LARGEST.tokenizer : LARGEST.other)
  return { small, weights }
}

const NEEDED = [TOKENIZER_FILE, 'config.json']

function requireSize(repository: string, { path, size }: HubFile, largest: number): void {
  if (size <= largest) return
  throw unsupported(
    repository,
    `says that ${path} has ${Math.round(size / 1e6)} MB, and the engine takes at most ${largest / 1e6} MB: use a smaller model`,
  )
}

function unsupported(repository: string, problem: string): ModelError {
  return new ModelError('ERR_MODEL_UNSUPPORTED', `${repository} ${problem}`)
}

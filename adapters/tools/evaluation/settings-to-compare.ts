import { type ContextSettings, InvalidInputError, type SearchMode } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import type { ComparedSettings } from './evaluation.js'

/** Values to compare. Each list defaults to the value of the context. */
export interface SettingValues {
  /** Ids of models that the engine has. */
  readonly embeddingModels?: readonly string[] | undefined
  /** Most tokens in a chunk, 16 to 8,192. */
  readonly chunkSizesTokens?: readonly number[] | undefined
  /** Fractions of a chunk that the next chunk repeats, from 0 to less than 1. */
  readonly overlaps?: readonly number[] | undefined
  /** Default: the mode of the context; all modes if the other lists are left out too. */
  readonly modes?: readonly SearchMode[] | undefined
}

/** Settings that decide the chunks and vectors of a context, and the modes in which it is searched. */
export interface SearchedCopy {
  readonly embeddingModel: string
  readonly chunkSizeTokens: number
  readonly overlap: number
  readonly modes: readonly SearchMode[]
}

/** The most settings beside the present ones. Each may take as long as an ingestion of the context. */
const MAX_SETTINGS = 24

/**
 * Combines each value with each other.
 *
 * @returns the modes of the context itself, with its own mode first, and the copies to make
 * @throws InvalidInputError for a list that is empty or has values of another type, and for too many combinations
 */
export function settingsToCompare(
  present: Required<ContextSettings>,
  values: SettingValues,
): { readonly own: SearchedCopy; readonly copies: readonly SearchedCopy[]; readonly count: number } {
  const models = listOf('embeddingModels', values.embeddingModels, 'string') ?? [present.embeddingModel]
  const sizes = listOf('chunkSizesTokens', values.chunkSizesTokens, 'number') ?? [present.chunkSizeTokens]
  const overlaps = listOf('overlaps', values.overlaps, 'number') ?? [present.overlap]
  const hasOthers = (values.embeddingModels ?? values.chunkSizesTokens ?? values.overlaps) !== undefined
  const modes = modesOf(values.modes) ?? (hasOthers ? [present.searchMode] : SEARCH_MODES)
  const searched = models.flatMap((embeddingModel) =>
    sizes.flatMap((chunkSizeTokens) =>
      overlaps.map((overlap) => ({ embeddingModel, chunkSizeTokens, overlap, modes })),
    ),
  )
  const isOwn = (copy: SearchedCopy): boolean =>
    copy.embeddingModel === present.embeddingModel &&
    copy.chunkSizeTokens === present.chunkSizeTokens &&
    copy.overlap === present.overlap
  const { embeddingModel, chunkSizeTokens, overlap, searchMode } = present
  const ownModes = new Set([searchMode, ...(searched.some(isOwn) ? modes : [])])
  const copies = searched.filter((copy) => !isOwn(copy))
  const count = ownModes.size + copies.length * modes.length
  if (count - 1 > MAX_SETTINGS) {
    throw new InvalidInputError(
      'settings',
      `these values make ${count - 1} combinations: compare at most ${MAX_SETTINGS} in one run, and leave out some values`,
    )
  }
  return { own: { embeddingModel, chunkSizeTokens, overlap, modes: [...ownModes] }, copies, count }
}

/** Each setting of a copy by itself. */
export function toSettings({ modes, ...shared }: SearchedCopy): ComparedSettings[] {
  return modes.map((mode) => ({ mode, ...shared }))
}

/** @returns the values without repetitions; undefined for no list */
function listOf<T extends string | number>(
  name: string,
  values: readonly T[] | undefined,
  type: 'string' | 'number',
): readonly T[] | undefined {
  if (values === undefined) return undefined
  const untyped: unknown = values
  // The engine checks each value when the copy is created.
  if (!Array.isArray(untyped) || untyped.length === 0 || untyped.some((value) => typeof value !== type))
    throw new InvalidInputError(name, `must be a list with at least one ${type}`)
  return [...new Set(values)]
}

function modesOf(values: readonly SearchMode[] | undefined): readonly SearchMode[] | undefined {
  const modes = listOf('modes', values, 'string')
  const unknown = modes?.find((mode) => !SEARCH_MODES.includes(mode))
  if (unknown === undefined) return modes
  throw new InvalidInputError('modes', `unknown mode "${unknown}"; expected one of ${SEARCH_MODES.join(', ')}`)
}

import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { InvalidInputError } from '../../../src/index.js'
import type { ModelFacts, ModelProfileChanges } from '../../device/index.js'
import { ifPresent } from '../../node-kit/index.js'

/** Models of one maker, which need the same texts in front of queries and passages. */
interface ModelFamily extends FamilyFacts {
  readonly name: string
  /** Tells the family by the name of a model, without its owner. */
  readonly pattern: RegExp
}

type FamilyFacts = Pick<ModelFacts, 'queryPrefix' | 'passagePrefix' | 'pooling'>

/** The sentence that the cards of English BGE and of Arctic Embed 1 ask for. */
const SEARCH_SENTENCE = 'Represent this sentence for searching relevant passages: '

export const E5: FamilyFacts = { queryPrefix: 'query: ', passagePrefix: 'passage: ', pooling: 'mean' }
export const NOMIC: FamilyFacts = { queryPrefix: 'search_query: ', passagePrefix: 'search_document: ', pooling: 'mean' }
/** English BGE, and Arctic Embed 1. */
export const BY_SENTENCE: FamilyFacts = { queryPrefix: SEARCH_SENTENCE, passagePrefix: '', pooling: 'cls' }
export const BGE_M3: FamilyFacts = { queryPrefix: '', passagePrefix: '', pooling: 'cls' }
export const ARCTIC_2: FamilyFacts = { queryPrefix: 'query: ', passagePrefix: '', pooling: 'cls' }

/** As the cards of the models say. Their conversions often leave these facts out. */
const FAMILIES: readonly ModelFamily[] = [
  {
    name: 'E5',
    // The instruct models of the family need a sentence of the task instead.
    pattern: /^(multilingual-)?e5-(small|base|large)(?!.*instruct)/i,
    ...E5,
  },
  {
    name: 'Nomic Embed',
    pattern: /^nomic-embed-text-v/i,
    ...NOMIC,
  },
  {
    name: 'BGE',
    pattern: /^bge-(small|base|large)-en/i,
    ...BY_SENTENCE,
  },
  { name: 'BGE', pattern: /^bge-m3/i, ...BGE_M3 },
  {
    name: 'Arctic Embed 2',
    pattern: /^snowflake-arctic-embed-[ml]-v2/i,
    ...ARCTIC_2,
  },
  {
    name: 'Arctic Embed',
    pattern: /^snowflake-arctic-embed-(xs|s|m|l)(-|$)/i,
    ...BY_SENTENCE,
  },
]

const POOLING_FILE = '1_Pooling/config.json'

/**
 * Refuses a model of a known family whose files do not have the facts that the family needs: without them its vectors
 * are worse, and no error says so. Facts that the caller gives are never refused, also if they are empty.
 *
 * @param name another name of the model than that of its folder, such as that of its repository
 * @param facts the facts of the folder, with the changes
 * @throws InvalidInputError that names what is missing
 */
export async function requireFamilyFacts(
  folder: string,
  facts: ModelFacts,
  changes: ModelProfileChanges,
  name: string = basename(folder),
): Promise<void> {
  const family = familyOf([name, facts.id, await nameInConfig(folder)])
  if (family === undefined) return
  const missing = [
    ...(changes.queryPrefix === undefined && facts.queryPrefix === '' && family.queryPrefix !== ''
      ? [`queryPrefix ${JSON.stringify(family.queryPrefix)} (--query-prefix)`]
      : []),
    ...(changes.passagePrefix === undefined && facts.passagePrefix === '' && family.passagePrefix !== ''
      ? [`passagePrefix ${JSON.stringify(family.passagePrefix)} (--passage-prefix)`]
      : []),
    ...(changes.pooling === undefined && facts.pooling !== family.pooling && !(await saysPooling(folder))
      ? [`pooling ${JSON.stringify(family.pooling)} (--pooling)`]
      : []),
  ]
  if (missing.length === 0) return
  throw new InvalidInputError(
    '',
    `${name} is a model of the family ${family.name}, and its files do not say what it needs: give ${missing.join(' and ')}; for a model that was trained in another way, give what that one needs, also an empty text`,
  )
}

function familyOf(names: readonly string[]): ModelFamily | undefined {
  for (const name of names) {
    const found = FAMILIES.find(({ pattern }) => pattern.test(name))
    if (found !== undefined) return found
  }
  return undefined
}

/** The name of the model that a conversion was made from, without its owner. */
async function nameInConfig(folder: string): Promise<string> {
  const text = await ifPresent(readFile(join(folder, 'config.json'), 'utf8'), '{}')
  try {
    const { _name_or_path: name } = JSON.parse(text) as { readonly _name_or_path?: unknown }
    return typeof name === 'string' ? (name.split('/').at(-1) ?? '') : ''
  } catch {
    return ''
  }
}

/** True if the folder says how to pool: in the model's own file, or in a profile. */
async function saysPooling(folder: string): Promise<boolean> {
  for (const file of [POOLING_FILE, 'profile.json']) {
    if ((await ifPresent(stat(join(folder, file)), undefined)) !== undefined) return true
  }
  return false
}

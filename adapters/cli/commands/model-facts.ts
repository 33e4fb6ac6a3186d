import { Option } from '@commander-js/extra-typings'
import type { AddModelResult, ModelProfileChanges } from '../../local/index.js'
import { type GlobalOptions, option, parseCount } from '../options.js'
import { printResult } from '../output/output.js'

const POOLINGS = ['mean', 'cls'] as const

/** The options of commands that add a model: facts that its own files may not have. */
export const MODEL_FACTS = {
  id: (usual: string): Option<'--id <id>'> => option('--id <id>', `name of the model; default: ${usual}`, 'model'),
  queryPrefix: (): Option<'--query-prefix <text>'> =>
    option('--query-prefix <text>', 'text before each query; default: that of the model’s own files'),
  passagePrefix: (): Option<'--passage-prefix <text>'> =>
    option('--passage-prefix <text>', 'text before each passage; default: that of the model’s own files'),
  windowTokens: (): Option<'--window-tokens <tokens>', undefined, undefined, number> =>
    option(
      '--window-tokens <tokens>',
      'most tokens of a window; default: the model’s own limit, at most 1024',
    ).argParser(parseCount),
  dimensions: (): Option<'--dimensions <count>', undefined, undefined, number> =>
    option('--dimensions <count>', 'components of a vector, if fewer than the model gives', 'model').argParser(
      parseCount,
    ),
  pooling: (): Option<'--pooling <kind>', undefined, undefined, undefined, false, (typeof POOLINGS)[number]> =>
    option(
      '--pooling <kind>',
      'how the vectors of tokens become one: mean, or cls for the first; default: that of the model’s own files, or mean',
      'model',
    ).choices(POOLINGS),
}

type GivenFacts = { readonly [Name in keyof ModelProfileChanges]: ModelProfileChanges[Name] | undefined }

/** The facts that a user has given. */
export function givenFactsOf({
  id,
  queryPrefix,
  passagePrefix,
  windowTokens,
  dimensions,
  pooling,
}: GivenFacts): ModelProfileChanges {
  return {
    ...(id !== undefined && { id }),
    ...(queryPrefix !== undefined && { queryPrefix }),
    ...(passagePrefix !== undefined && { passagePrefix }),
    ...(windowTokens !== undefined && { windowTokens }),
    ...(dimensions !== undefined && { dimensions }),
    ...(pooling !== undefined && { pooling }),
  }
}

/** Prints a model that was added. @param licence a sentence for people. Default: none */
export function printAdded(options: GlobalOptions, model: AddModelResult, licence?: string): void {
  const { id, sizeMb, dimensions, windowTokens, pooling, tokenizer, source } = model
  const prefixes = `query prefix ${JSON.stringify(model.queryPrefix)}, passage prefix ${JSON.stringify(model.passagePrefix)}`
  printResult(options, model, [
    model.isNew ? `Model ${id} added, ${sizeMb} MB.` : `Model ${id} is there already.`,
    ...(source === undefined ? [] : [`Downloaded from ${source.repository} at commit ${source.commit}.`]),
    ...(licence === undefined ? [] : [licence]),
    `${dimensions} dimensions, windows of ${windowTokens} tokens, ${pooling} pooling, ${prefixes}; its tokenizer is ${tokenizer}.`,
    `Use it with "alcove context create --model ${id}". An engine that runs knows it after a restart.`,
  ])
}

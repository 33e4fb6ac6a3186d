import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { ModelReport } from '../../local/index.js'
import { loadLocal } from '../engines/engines.js'
import { globalOptions } from '../options.js'
import { printList, printResult } from '../output/output.js'
import { downloadCommand } from './model-download.js'
import { givenFactsOf, MODEL_FACTS, printAdded } from './model-facts.js'

export function modelCommand(): CommandUnknownOpts {
  return new Command('model')
    .description('add, list and check embedding models on this device')
    .addCommand(downloadCommand())
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(checkCommand())
}

function addCommand(): CommandUnknownOpts {
  return new Command('add')
    .description('try a model, and copy it to the data folder; contexts can then use it')
    .argument('<folder>', 'folder of the model, as transformers.js lays it out')
    .addOption(MODEL_FACTS.id('the name of its folder'))
    .addOption(MODEL_FACTS.queryPrefix())
    .addOption(MODEL_FACTS.passagePrefix())
    .addOption(MODEL_FACTS.windowTokens())
    .addOption(MODEL_FACTS.dimensions())
    .addOption(MODEL_FACTS.pooling())
    .action(async (folder, given, command) => {
      const options = globalOptions(command)
      const { addModel } = await loadLocal()
      printAdded(options, await addModel({ dataDir: options.dataDir, folder, ...givenFactsOf(given) }))
    })
}

function listCommand(): CommandUnknownOpts {
  return new Command('list')
    .description('list the models; the first is that of new contexts')
    .action(async (_, command) => {
      const options = globalOptions(command)
      const { listModels } = await loadLocal()
      // Nothing is asked of the server: an unknown number stays empty.
      const remote = (options.remoteModels ?? []).map(({ model, id = model, dimensions, windowTokens }, index) => ({
        id,
        adapter: 'openai',
        tokenizer: null,
        isDefault: index === 0,
        dimensions: dimensions ?? null,
        windowTokens: windowTokens ?? null,
        pooling: null,
        sizeMb: null,
        folder: null,
      }))
      const local = (await listModels({ dataDir: options.dataDir })).map((model) => ({
        ...model,
        adapter: 'device',
        isDefault: model.isDefault && remote.length === 0,
      }))
      printList<(typeof remote)[number] | (typeof local)[number]>(
        options,
        [...remote, ...local],
        ['id', 'adapter', 'tokenizer', 'isDefault', 'dimensions', 'windowTokens', 'pooling', 'sizeMb', 'folder'],
      )
    })
}

function checkCommand(): CommandUnknownOpts {
  return new Command('check')
    .description('load a model, embed texts, and say if it works and what it costs here')
    .argument('[model]', 'id of a model, or a folder; default: the model of new contexts')
    .action(async (wanted, _given, command) => {
      const options = globalOptions(command)
      const { checkModel, listModels } = await loadLocal()
      const models = await listModels({ dataDir: options.dataDir })
      const found = wanted === undefined ? models[0] : models.find(({ id }) => id === wanted)
      const report = await checkModel(found?.folder ?? wanted ?? '')
      printResult(options, report, sentences(report))
      if (!report.isUsable) process.exitCode = 1
    })
}

function sentences(report: ModelReport): string[] {
  const { id, tokenizer, sizeMb, memoryMb, loadMs, queryMs, windowsPerSecond, measuredTokens, checks, isUsable } =
    report
  const { languages = [], unrelated = 0, related = 0 } = report.similarity ?? {}
  return [
    `Model ${id}, tokenizer ${tokenizer}, ${sizeMb} MB on the disk.`,
    ...checks.map(({ name, isRight, found }) => `${isRight ? 'right' : 'WRONG'}: ${name}, ${found}`),
    `Loaded in ${loadMs} ms; it takes ${memoryMb} MB of memory.`,
    `A query takes ${queryMs} ms. ${windowsPerSecond} windows of ${measuredTokens} tokens a second on this machine.`,
    languages.length === 0
      ? 'It tells the texts of the sample apart in no language, so searches take its similarities as they are.'
      : `It knows ${languages.join(', ')} of the sample's eleven languages. Similarity of unrelated texts ${unrelated}, of a question and its answer ${related}.`,
    isUsable ? 'The model can be used.' : 'The model cannot be used as its profile describes it.',
  ]
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { ModelReport } from '../../local/index.js'
import { loadLocal } from '../engines/engines.js'
import { globalOptions, option, parseCount } from '../options.js'
import { printList, printResult } from '../output/output.js'

export function modelCommand(): CommandUnknownOpts {
  return new Command('model')
    .description('add, list and check embedding models on this device')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(checkCommand())
}

function addCommand(): CommandUnknownOpts {
  return new Command('add')
    .description('try a model, and copy it to the data folder; contexts can then use it')
    .argument('<folder>', 'folder of the model, as transformers.js lays it out')
    .addOption(option('--id <id>', 'name of the model; default: the name of its folder', 'model'))
    .addOption(option('--query-prefix <text>', 'text before each query; default: that of the model’s own files'))
    .addOption(option('--passage-prefix <text>', 'text before each passage; default: that of the model’s own files'))
    .addOption(
      option(
        '--window-tokens <tokens>',
        'most tokens of a window; default: the model’s own limit, at most 1024',
      ).argParser(parseCount),
    )
    .action(async (folder, { id, queryPrefix, passagePrefix, windowTokens }, command) => {
      const options = globalOptions(command)
      const { addModel } = await loadLocal()
      const model = await addModel({
        dataDir: options.dataDir,
        folder,
        ...(id !== undefined && { id }),
        ...(queryPrefix !== undefined && { queryPrefix }),
        ...(passagePrefix !== undefined && { passagePrefix }),
        ...(windowTokens !== undefined && { windowTokens }),
      })
      const prefixes = `query prefix ${JSON.stringify(model.queryPrefix)}, passage prefix ${JSON.stringify(model.passagePrefix)}`
      printResult(options, model, [
        model.isNew ? `Model ${model.id} added, ${model.sizeMb} MB.` : `Model ${model.id} is there already.`,
        `${model.dimensions} dimensions, windows of ${model.windowTokens} tokens, ${model.pooling} pooling, ${prefixes}; its tokenizer is ${model.tokenizer}.`,
        `Use it with "alcove context create --model ${model.id}". An engine that runs knows it after a restart.`,
      ])
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

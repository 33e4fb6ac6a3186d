import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { withByteProgress } from '../byte-progress.js'
import { loadLocal } from '../engines/engines.js'
import { globalOptions, option } from '../options.js'
import { printList } from '../output/output.js'
import { givenFactsOf, MODEL_FACTS, printAdded } from './model-facts.js'

export function downloadCommand(): CommandUnknownOpts {
  return new Command('download')
    .description('download a model from Hugging Face, and add it; without a name, list the known models')
    .argument('[name]', 'name of a known model, or of a repository, such as Xenova/multilingual-e5-small')
    .addOption(option('--revision <revision>', 'branch, tag or commit; default: main', 'model'))
    .addOption(
      option(
        '--endpoint <url>',
        'hub or mirror; default: HF_ENDPOINT, or https://huggingface.co; HF_TOKEN has a token for it',
        'model',
      ),
    )
    .addOption(MODEL_FACTS.id('its known name, or that of the repository'))
    .addOption(MODEL_FACTS.queryPrefix())
    .addOption(MODEL_FACTS.passagePrefix())
    .addOption(MODEL_FACTS.windowTokens())
    .addOption(MODEL_FACTS.dimensions())
    .addOption(MODEL_FACTS.pooling())
    .action(async (name, { revision, endpoint, ...given }, command) => {
      const options = globalOptions(command)
      const { downloadModel, MODEL_CATALOG } = await loadLocal()
      if (name === undefined) {
        const models = MODEL_CATALOG.map((model) => ({ ...model, runs: model.problem === null }))
        printList(options, models, ['name', 'languages', 'dimensions', 'windowTokens', 'sizeMb', 'licence', 'runs'])
        return
      }
      const model = await withByteProgress(
        async (signal, onProgress) =>
          await downloadModel({
            dataDir: options.dataDir,
            name,
            ...(revision !== undefined && { revision }),
            ...(endpoint !== undefined && { endpoint }),
            ...givenFactsOf(given),
            signal,
            onProgress,
          }),
      )
      const known = MODEL_CATALOG.find(({ repository }) => repository === model.source?.repository)
      // Only the model in the package has no source here.
      const origin = model.source === undefined ? 'It comes with the package: nothing was downloaded.' : undefined
      printAdded(options, model, origin ?? (known && `Its licence: ${known.licence}.`))
    })
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { loadHttpServer } from '../loading.js'

export function exportOpenapiCommand(): CommandUnknownOpts {
  return new Command('export-openapi')
    .description('print the OpenAPI 3.1 description of the REST API')
    .action(async (_given, command) => {
      const { describeApi } = await loadHttpServer()
      const { json } = command.optsWithGlobals() as { readonly json?: unknown }
      process.stdout.write(`${JSON.stringify(describeApi(), undefined, json === undefined ? 2 : 0)}\n`)
    })
}

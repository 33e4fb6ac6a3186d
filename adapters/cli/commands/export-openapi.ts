import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { describeApi } from '../../http-server/index.js'

export function exportOpenapiCommand(): CommandUnknownOpts {
  return new Command('export-openapi')
    .description('print the OpenAPI 3.1 description of the REST API')
    .action((_given, command) => {
      const { json } = command.optsWithGlobals() as { readonly json?: unknown }
      process.stdout.write(`${JSON.stringify(describeApi(), undefined, json === undefined ? 2 : 0)}\n`)
    })
}

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { HostAdministration } from '../../../src/index.js'
import { clearAway } from '../clear-away.js'
import { withDatabase, withEngineOrDatabase } from '../engines.js'
import { globalOptions, parseId } from '../options.js'
import { printResult } from '../output.js'

/** `disable` and `enable` of what a command is about. */
export function disablingCommands<Thing extends { readonly id: number }>(
  noun: string,
  operations: (
    administration: HostAdministration,
  ) => Readonly<Record<'disable' | 'enable', (id: number) => Promise<Thing>>>,
): readonly CommandUnknownOpts[] {
  return (['disable', 'enable'] as const).map((verb) =>
    new Command(verb)
      .description(`${verb} a ${noun}`)
      .argument('<id>', `the ${noun}`, parseId)
      .action(async (id, _given, command) => {
        const options = globalOptions(command)
        const changed = await withDatabase(options, async ({ administration }) => {
          return await operations(administration)[verb](id)
        })
        printResult(options, changed, `The ${noun} ${id} is ${verb}d.`)
      }),
  )
}

/** `delete` of what has contexts: their files, vectors and words are off the disk once it ends, or when `serve` works here. */
export function clearingDeletion(
  noun: string,
  what: string,
  remove: (administration: HostAdministration, id: number) => Promise<void>,
): CommandUnknownOpts {
  return new Command('delete')
    .description(`delete ${what}`)
    .argument('<id>', `the ${noun}`, parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      await withEngineOrDatabase(options, async (engine) => {
        await remove(engine.administration, id)
        await clearAway(engine)
      })
      printResult(options, {}, `Deleted ${noun} ${id}.`)
    })
}

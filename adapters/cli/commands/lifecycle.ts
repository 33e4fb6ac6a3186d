import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { HostAdministration } from '../../../src/index.js'
import { clearAway, withDatabase, withEngineOrDatabase } from '../engines/engines.js'
import { globalOptions, parseId } from '../options.js'
import { printResult } from '../output/output.js'

/** The commands `disable` and `enable` of one kind of record. */
export function disablingCommands<Item extends { readonly id: number }>(
  noun: string,
  operations: (
    administration: HostAdministration,
  ) => Readonly<Record<'disable' | 'enable', (id: number) => Promise<Item>>>,
): readonly CommandUnknownOpts[] {
  return (['disable', 'enable'] as const).map((verb) =>
    new Command(verb)
      .description(`${verb} a ${noun}`)
      .argument('<id>', `id of the ${noun}`, parseId)
      .action(async (id, _given, command) => {
        const options = globalOptions(command)
        const changed = await withDatabase(options, async ({ administration }) => {
          return await operations(administration)[verb](id)
        })
        printResult(options, changed, `${verb === 'enable' ? 'Enabled' : 'Disabled'} ${noun} ${id}.`)
      }),
  )
}

/**
 * The command `delete` for records with contexts. It removes their files, vectors and words before it exits. If a
 * server works on the folder, the server removes them.
 */
export function clearingDeletion(
  noun: string,
  objectText: string,
  remove: (administration: HostAdministration, id: number) => Promise<void>,
): CommandUnknownOpts {
  return new Command('delete')
    .description(`delete ${objectText}`)
    .argument('<id>', `id of the ${noun}`, parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      await withEngineOrDatabase(options, async (engine) => {
        await remove(engine.administration, id)
        await clearAway(engine)
      })
      printResult(options, {}, `Deleted ${noun} ${id}.`)
    })
}

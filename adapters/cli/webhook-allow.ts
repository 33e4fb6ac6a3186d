import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { InvalidInputError } from '../../src/index.js'
import { HttpsTransport } from '../https-transport/index.js'
import { collect, option } from './options.js'

/** The option of commands that check destinations, or send to them. */
export function webhookAllowOption(): Option<'--webhook-allow <cidr>', undefined, undefined, string[]> {
  return option(
    '--webhook-allow <cidr>',
    'address or network that events may be sent to though it is not public; repeatable',
  ).argParser(collectNetworks)
}

function collectNetworks(text: string, before: string[] | undefined): string[] {
  const allow = collect(text, before)
  try {
    // It alone knows which spellings there are.
    new HttpsTransport({ allow })
    return allow
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new InvalidArgumentError('it must be an address or a network, such as 10.1.2.3 or 10.1.0.0/16.')
  }
}

import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { InvalidInputError } from '../../src/index.js'
import { HttpsTransport } from '../https-transport/index.js'
import { collect, option } from './options.js'

/** The option of commands that check destinations or send to them. */
export function webhookAllowOption(): Option<'--webhook-allow <cidr>', undefined, undefined, string[]> {
  return option(
    '--webhook-allow <cidr>',
    'address or network that is not public and may still receive events; repeatable',
  ).argParser(collectNetworks)
}

function collectNetworks(text: string, previous: string[] | undefined): string[] {
  const allow = collect(text, previous)
  try {
    // Only the transport knows the valid spellings.
    new HttpsTransport({ allow })
    return allow
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new InvalidArgumentError('Expected an address or a network, such as 10.1.2.3 or 10.1.0.0/16.')
  }
}

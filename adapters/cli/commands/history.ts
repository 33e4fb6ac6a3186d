import { readFile } from 'node:fs/promises'
import type { Option } from '@commander-js/extra-typings'
import { type HistoryMessage, InvalidInputError } from '../../../src/index.js'
import { isError } from '../../../src/ports/index.js'
import { option } from '../options.js'

/** The option for the file with the messages before a prompt. */
export function historyOption(): Option<'--history <file>'> {
  return option('--history <file>', 'earlier messages: a JSON array of { role: user or assistant, content }')
}

/** Reads the file of {@link historyOption}. The engine checks the messages. */
export async function readHistory(file: string): Promise<readonly HistoryMessage[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as readonly HistoryMessage[]
  } catch (error) {
    const problem =
      isError(error) && error.name === 'SyntaxError'
        ? `the file ${file} is not valid JSON`
        : `cannot read the file ${file}`
    throw new InvalidInputError('--history', problem, { cause: error })
  }
}

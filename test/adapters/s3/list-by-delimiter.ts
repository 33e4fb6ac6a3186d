import type { IncomingMessage, ServerResponse } from 'node:http'
import { changeAnswer } from './change-answer.js'

const PREFIXES = /<CommonPrefixes>.*?<\/CommonPrefixes>/g

/**
 * s3rver finds only objects directly below a prefix, not deeper ones. So the common prefixes are computed from the
 * names of all objects. The rest of its answer stays.
 */
export async function listByDelimiter(
  request: IncomingMessage,
  response: ServerResponse,
  objects: () => Promise<readonly string[]>,
): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [prefix, delimiter] = [searchParams.get('prefix') ?? '', searchParams.get('delimiter') ?? '']
  if (request.method !== 'GET' || delimiter === '') return
  const beneath = (await objects()).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  const deeper = beneath.filter((key) => key.includes(delimiter))
  const names = deeper.map((key) => key.slice(0, key.indexOf(delimiter) + delimiter.length))
  const prefixes = [...new Set(names)]
    .map((name) => `<CommonPrefixes><Prefix>${prefix + name}</Prefix></CommonPrefixes>`)
    .join('')
  changeAnswer(response, (text) =>
    text.replaceAll(PREFIXES, '').replace('</ListBucketResult>', `${prefixes}</ListBucketResult>`),
  )
}

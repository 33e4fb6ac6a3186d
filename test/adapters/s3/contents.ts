import type { Interception } from './s3-server.js'

export const MEGABYTE = 1_048_576

/** Yields `count` megabytes, one in each piece. @param last called before the end */
export async function* megabytes(count: number, last?: () => unknown): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < count; number += 1) yield new Uint8Array(MEGABYTE).fill(number)
  await last?.()
}

/** Answers with an error of a server. @param only limits it to requests whose `METHOD /path?query` contains this */
export function failWith(status: number, code: string, { only = '' }: { readonly only?: string } = {}): Interception {
  return (request, response) => {
    if (!`${request.method} ${request.url}`.includes(only)) return false
    request.resume()
    const body = request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>secret text</Message></Error>`
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
    return true
  }
}

import type { ServerResponse } from 'node:http'

/** Changes the text of a server's answer before it is sent. Other answers stay. */
export function changeAnswer(response: ServerResponse, change: (text: string) => string): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse
  response.end = ((body: unknown) => {
    if (typeof body !== 'string') return end(body)
    const changed = change(body)
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }) as typeof response.end
}

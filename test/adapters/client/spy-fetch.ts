interface SpyFetch {
  readonly fetch: typeof fetch
  readonly paths: () => readonly string[]
  readonly requests: readonly Request[]
}

/** Passes requests on to the server, as a proxy does, and shows them to the test. */
export function spyFetch(answer: (request: Request) => Response | undefined = () => undefined): SpyFetch {
  const requests: Request[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    requests.push(request)
    return answer(request) ?? (await globalThis.fetch(request))
  }
  return { fetch, paths: () => requests.map(({ url }) => new URL(url).pathname), requests }
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = { type: 'about:blank', title: 'Problem', status, detail: 'of the test', code }
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json', ...headers } })
}

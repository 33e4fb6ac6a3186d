import { expect, it } from 'vitest'
import { type AlcoveApiError, type AlcoveClient, createAlcoveClient } from '../../../adapters/client/index.js'

interface Report {
  readonly refused: ReadonlyMap<string, { readonly count: number; readonly error: AlcoveApiError }>
}

/** The page has the types of browsers, which a test does not have: they are stated here. */
const RESEND_RUN: string = '../../../adapters/console/app/webhooks/deliveries/resend-run.js'
const { resendEach } = (await import(RESEND_RUN)) as {
  readonly resendEach: (
    api: AlcoveClient,
    ids: readonly number[],
    options: { readonly signal: AbortSignal; readonly onReport: (report: Report) => void },
  ) => Promise<void>
}

it('counts refused deliveries by their reasons, so that each disabled destination is named', async () => {
  // The deliveries 1 and 3 are for the destination 5, and 2 for 7. The others are gone.
  const destinations = new Map([
    [1, 5],
    [2, 7],
    [3, 5],
  ])
  const fetch: typeof globalThis.fetch = async (input) => {
    const [, id] = /deliveries\/(\d+)\//.exec(new Request(input).url) ?? []
    const destination = destinations.get(Number(id))
    const problem =
      destination === undefined
        ? { status: 404, code: 'ERR_DELIVERY_NOT_FOUND' }
        : {
            status: 400,
            code: 'ERR_INVALID_INPUT',
            reason: { code: 'destination-disabled', parameters: { destination } },
          }
    return Response.json(problem, { status: problem.status })
  }
  const api = createAlcoveClient({ baseUrl: 'https://alcove.test', access: { token: () => 't' }, fetch })
  const reports: Report[] = []
  const signal = new AbortController().signal
  await resendEach(api, [1, 2, 3, 4, 9], { signal, onReport: (report) => void reports.push(report) })
  const refused = [...(reports.at(-1)?.refused.values() ?? [])]
  expect(refused.map(({ count, error }) => [count, error.reason?.parameters['destination'] ?? error.code])).toEqual([
    [2, 5],
    [1, 7],
    [2, 'ERR_DELIVERY_NOT_FOUND'],
  ])
})

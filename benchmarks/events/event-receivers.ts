/**
 * HTTPS receivers in a process of their own: several that answer, and one that hangs. The parent sends a number, and
 * the process reports when the receivers that answer have had that many requests.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { testCertificates } from '../../test/adapters/https-transport/certificates.js'

/** The first message of the receivers. */
export interface Receivers {
  readonly ca: string
  /** The last port belongs to the receiver that hangs. */
  readonly ports: readonly number[]
}

/** The report after the requests that the parent waits for. */
export interface Arrivals {
  /** Times of the first and the last request, in ms by the clock of the machine. */
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** Headers of one request. All requests are alike. */
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const HEALTHY = Number(process.argv[2])
const { ca, key, valid: cert } = testCertificates()
let awaited = 0
let [firstAtMs, lastAtMs]: [number | undefined, number] = [undefined, 0]

const ports: number[] = []
for (let number = 0; number <= HEALTHY; number += 1) {
  const isHanging = number === HEALTHY
  const server = createServer({ key, cert }, (request, response) => {
    if (isHanging) return
    lastAtMs = Date.now()
    firstAtMs ??= lastAtMs
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      response.writeHead(204).end()
      awaited -= 1
      if (awaited !== 0 || firstAtMs === undefined) return
      process.send?.({ firstAtMs, lastAtMs, headers: request.headers, body } satisfies Arrivals)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ports.push((server.address() as AddressInfo).port)
}

process.on('message', (count: number) => {
  awaited = count
  firstAtMs = undefined
})
process.on('disconnect', () => process.exit())
process.send?.({ ca, ports } satisfies Receivers)

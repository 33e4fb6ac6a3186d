/**
 * HTTPS receivers in a process of their own: so many that answer, and one that hangs. Told a number, they tell of so many
 * requests to those that answer.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { testCertificates } from '../test/webhooks/certificates.js'

/** What the receivers tell first. */
export interface Receivers {
  readonly ca: string
  /** The one that hangs is the last. */
  readonly ports: readonly number[]
}

/** Requests that were awaited. */
export interface Arrivals {
  /** When the first came and the last, in ms by the clock of the machine. */
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** What one of them was. */
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

/** HTTPS receivers in a process of their own: so many that answer, and one that hangs. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { testCertificates } from '../test/webhooks/certificates.js'

const HEALTHY = Number(process.argv[2])
const { ca, key, valid: cert } = testCertificates()
let awaited = 0

const ports: number[] = []
for (let number = 0; number <= HEALTHY; number += 1) {
  const isHanging = number === HEALTHY
  const server = createServer({ key, cert }, (request, response) => {
    if (isHanging) return
    const at = Date.now()
    request.resume().on('end', () => {
      response.writeHead(204).end()
      awaited -= 1
      if (awaited === 0) process.send?.(at)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ports.push((server.address() as AddressInfo).port)
}

process.on('message', (count: number) => {
  awaited = count
})
process.on('disconnect', () => process.exit())
process.send?.({ ca, ports })

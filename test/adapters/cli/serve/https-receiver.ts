import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Time by the clock of `Date.now()`. */
  readonly atMs: number
}

/** A receiver of webhooks on 127.0.0.1. */
export interface HttpsReceiver {
  readonly port: number
  readonly url: string
  /** For NODE_EXTRA_CA_CERTS: its certificate, which openssl created and no other program trusts. */
  readonly certificateFile: string
  readonly received: readonly ReceivedEvent[]
  /** Connections so far, with every outcome. */
  readonly connections: () => number
  close(): Promise<void>
}

/** @param folder for its certificate @param httpStatus status of its answers */
export async function startHttpsReceiver(folder: string, httpStatus: () => number = () => 200): Promise<HttpsReceiver> {
  const [keyFile, certificateFile] = [join(folder, 'receiver.key'), join(folder, 'receiver.pem')]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  const names = ['-subj', '/CN=Receiver', '-addext', 'subjectAltName=IP:127.0.0.1']
  const parameters = ['req', '-x509', ...newKey, '-out', certificateFile, ...names, '-days', '2']
  execFileSync('openssl', parameters, { stdio: 'ignore' })
  const received: ReceivedEvent[] = []
  let connections = 0
  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) })
  server.on('connection', () => {
    connections += 1
  })
  server.on('request', (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(pieces), atMs: Date.now() })
      response.writeHead(httpStatus()).end('thank you')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://127.0.0.1:${port}/hook`,
    certificateFile,
    received,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

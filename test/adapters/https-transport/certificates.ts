import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Certificates and keys, all in PEM. */
export interface TestCertificates {
  /** The authority that signed the others. Only a client that is configured for it trusts it. */
  readonly ca: string
  readonly key: string
  /** A certificate for 127.0.0.1, ::1 and *.example.test. */
  readonly valid: string
  /** Like `valid`, but expired yesterday. */
  readonly expired: string
}

const NAMES = 'subjectAltName=IP:127.0.0.1,IP:::1,DNS:*.example.test'

let made: TestCertificates | undefined

/** Creates the certificates with openssl, once in a process. */
export function testCertificates(): TestCertificates {
  made ??= makeCertificates()
  return made
}

function makeCertificates(): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-test-ca-'))
  const openssl = (...parameters: string[]): Buffer =>
    execFileSync('openssl', parameters, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const sign = (days: number): string =>
    String(
      openssl(
        ...['x509', '-req', '-in', 'receiver.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-days', String(days), '-extfile', 'names'],
      ),
    )
  try {
    writeFileSync(join(folder, 'names'), NAMES)
    openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '30')
    openssl('req', '-new', ...newKey, '-keyout', 'receiver.key', '-out', 'receiver.csr', '-subj', '/CN=Receiver')
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
    return { ca: read('ca.pem'), key: read('receiver.key'), valid: sign(30), expired: sign(-1) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

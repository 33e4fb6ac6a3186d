import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and its self-signed certificate for `localhost`, as PEM. */
export function selfSignedCertificate(): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // RFC 5280, section 4.1.
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, 'localhost'))))
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const subjectAltName = sequence(oid('551d11'), der(0x04, sequence(der(0x82, 'localhost'))))
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    der(0x02, Buffer.of(1)), // serial number
    algorithm,
    name,
    sequence(der(0x17, '200101000000Z'), der(0x17, '491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', signed, privateKey))
  const lines =
    sequence(signed, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** A tag, a length and a content. */
function der(tag: number, ...contents: readonly (string | Uint8Array)[]): Buffer {
  const content = Buffer.concat(contents.map((each) => Buffer.from(each as string)))
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function sequence(...contents: readonly Uint8Array[]): Buffer {
  return der(0x30, ...contents)
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

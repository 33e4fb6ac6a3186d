/** A child process that rotates the signing keys of a file until it is killed: `rotate-child.ts FILE`. It sends each id. */
import { JoseTokenSigner } from '../../../adapters/jose/index.js'

process.on('disconnect', () => process.exit())
const signer = new JoseTokenSigner({ keyFile: process.argv[2] ?? '' })
for (;;) {
  const { kid } = await signer.rotate(new Date())
  process.send?.(kid)
}

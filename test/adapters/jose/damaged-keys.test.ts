import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JoseTokenSigner } from '../../../adapters/jose/index.js'
import { openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { AlcoveError } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

const CLAIMS = {
  iss: 'https://example.com',
  aud: 'alcove',
  sub: '1',
  client_id: 'c',
  jti: 'j',
  target_app: 'alcove',
  company_id: 1,
  account_id: 1,
  key_id: 1,
  epoch: 0,
}

it('a signing key with a flipped bit is refused in one sentence, or signs tokens that it verifies itself', async () => {
  const keyFile = join(folder.path, 'signing-keys.json')
  await new JoseTokenSigner({ keyFile }).open()
  const intact = await readFile(keyFile)
  let refused = 0
  for (let position = 0; position < intact.length; position += 1) {
    const damaged = Buffer.from(intact)
    damaged[position] = (damaged[position] ?? 0) ^ (1 << (position % 8))
    await writeFile(keyFile, damaged)
    const now = new Date()
    try {
      const signer = await new JoseTokenSigner({ keyFile }).open()
      const token = await signer.sign(CLAIMS, { issuedAt: now, lifetimeSeconds: 60 })
      const verified = await signer.verify(token, { iss: CLAIMS.iss, aud: CLAIMS.aud, now })
      expect(verified, `position ${position}`).toBeDefined()
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_SIGNING_KEY', message: expect.stringContaining(keyFile) as string })
      expect((error as AlcoveError).message).toMatch(/restore (it|the file) from a backup/)
      refused += 1
    }
  }
  expect(refused).toBeGreaterThan(intact.length / 3)
})

it.each([
  ['signing-keys.json', 'ERR_SIGNING_KEY'],
  ['secret-key', 'ERR_SECRET_KEY'],
])('a damaged %s is refused with one sentence that names the file', async (name, code) => {
  const open = async (): Promise<void> => await (await openLocalDatabase({ dataDir: folder.path })).close()
  await (await openLocalEngine({ dataDir: folder.path, embeddingModels: [new MemoryEmbeddingModel()] })).close()
  await open()
  const path = join(folder.path, 'keys', name)
  const intact = await readFile(path)
  const flipped = Buffer.from(intact)
  const place = name === 'secret-key' ? 5 : intact.indexOf('"d"') + 10
  flipped[place] = flipped[place] === 0x41 ? 0x42 : 0x41
  for (const damaged of [Buffer.alloc(0), intact.subarray(0, 20), Buffer.alloc(intact.length), flipped]) {
    await writeFile(path, damaged)
    const error: unknown = await open().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error instanceof AlcoveError && error.code, damaged.toString()).toBe(code)
    expect(error).toMatchObject({ message: expect.stringMatching(/^the [^\n]+$/) as string })
    expect(error).toMatchObject({ message: expect.stringContaining(path) as string })
  }
  await rm(path)
  await mkdir(path)
  await expect(open()).rejects.toMatchObject({ code, message: expect.stringContaining(path) as string })
  await rm(path, { recursive: true })
  await writeFile(path, intact)
  await open()
})

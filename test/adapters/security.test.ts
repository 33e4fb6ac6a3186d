import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { describe, expect, it } from 'vitest'
import { Argon2PasswordHasher } from '../../adapters/argon2/index.js'
import { JoseTokenSigner } from '../../adapters/jose/index.js'
import { FolderMailer, SmtpMailer } from '../../adapters/mail/index.js'
import {
  MemoryMailer,
  MemoryOneTimePasswords,
  MemoryPasswordHasher,
  MemoryTokenSigner,
} from '../../adapters/memory/index.js'
import { TotpOneTimePasswords } from '../../adapters/totp/index.js'
import { mailerSuite, oneTimePasswordsSuite, passwordHasherSuite, tokenSignerSuite } from '../conformance/index.js'
import { temporaryFolder } from '../temporary-folder.js'

const runner = { describe, it }
const nothing = async (): Promise<void> => undefined

tokenSignerSuite(runner, 'memory', async () => ({ port: new MemoryTokenSigner(), dispose: nothing }))
tokenSignerSuite(runner, 'jose', async () => {
  const folder = await temporaryFolder()
  const port = new JoseTokenSigner({ keyFile: join(folder.path, 'keys', 'signing-keys.json') })
  return { port, dispose: folder.remove }
})

tokenSignerSuite(runner, 'jose with a key of the host: ES256', async () => {
  const folder = await temporaryFolder()
  const keyFile = join(folder.path, 'keys.json')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = {
    kid: 'host',
    created: '2026-01-01T00:00:00.000Z',
    retired: null,
    jwk: privateKey.export({ format: 'jwk' }),
  }
  await writeFile(keyFile, JSON.stringify({ keys: [key] }))
  return { port: await new JoseTokenSigner({ keyFile }).open(), dispose: folder.remove }
})

describe('a file of signing keys', () => {
  it('keeps each key of concurrent rotations, in one process and in several', async () => {
    const folder = await temporaryFolder()
    const keyFile = join(folder.path, 'signing-keys.json')
    const signers = [1, 2, 3].map(() => new JoseTokenSigner({ keyFile }))
    const now = new Date()
    const rotations = signers.flatMap((signer) => [1, 2, 3].map(() => signer.rotate(now)))
    const kids = (await Promise.all(rotations)).map(({ kid }) => kid)
    const keys = await new JoseTokenSigner({ keyFile }).publicKeys(now)
    expect(keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(kids))
    expect(await readdir(folder.path)).toEqual(['signing-keys.json', 'signing-keys.json-lock'])
    await folder.remove()
  })
})

passwordHasherSuite(runner, 'memory', async () => ({ port: new MemoryPasswordHasher(), dispose: nothing }))
passwordHasherSuite(runner, 'argon2id', async () => ({ port: new Argon2PasswordHasher(), dispose: nothing }))

it('verifies the hashes of other libraries', async () => {
  const hash = '$argon2id$v=19$m=65536,t=3,p=4$gvDcHpPkVkm0OFt1by8x7w$hLzDUhylYZiNxTu3S3AiE4r+cia9+hS9YwOyk1eVSaE'
  expect(await new Argon2PasswordHasher().verify(hash, 'pässword')).toBe(true)
  expect(await new Argon2PasswordHasher().verify(hash, 'password')).toBe(false)
})

oneTimePasswordsSuite(runner, 'memory', async () => ({ port: new MemoryOneTimePasswords(), dispose: nothing }))
oneTimePasswordsSuite(runner, 'otpauth', async () => ({ port: new TotpOneTimePasswords(), dispose: nothing }))

mailerSuite(runner, 'memory', async () => {
  const mailer = new MemoryMailer()
  const received = (): readonly string[] =>
    mailer.sent.map(({ to, subject, text, html }) =>
      [oneLine(`To: ${to.name} ${to.address}`), oneLine(subject), text, html].join('\n'),
    )
  return { port: Object.assign(mailer, { received: async () => received() }), dispose: nothing }
})

mailerSuite(runner, 'folder', async () => {
  const folder = await temporaryFolder()
  const mailer = new FolderMailer(folder.path)
  const received = async (): Promise<string[]> => {
    const names = (await readdir(folder.path)).sort()
    return await Promise.all(names.map(async (name) => await decoded(await readFile(join(folder.path, name)))))
  }
  return { port: Object.assign(mailer, { received }), dispose: folder.remove }
})

mailerSuite(runner, 'SMTP', async () => {
  const { url, mails, stop } = await startSmtp()
  const mailer = new SmtpMailer({ url, from: 'Alcove <alcove@example.com>' })
  const received = async (): Promise<string[]> => await Promise.all(mails.map(decoded))
  return {
    port: Object.assign(mailer, { received }),
    dispose: async () => {
      await mailer.close()
      await stop()
    },
  }
})

/** A mail server that stores the mails that it receives. */
async function startSmtp(options: SMTPServerOptions = {}) {
  const mails: Buffer[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        mails.push(Buffer.concat(pieces))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    stop: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function decoded(mail: Buffer): Promise<string> {
  const { headers, to = [], subject = '', text = '', html = '' } = await PostalMime.parse(mail)
  const names = to.map(({ name, address }) => `To: ${oneLine(name)} ${String(address)}`)
  return [...headers.map(({ key }) => `${key}: …`), ...names, subject, text, html].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}

const MAIL = { to: { name: 'Zoë', address: 'zoe@example.com' }, subject: 'Hi', text: 'text', html: '<p>html</p>' }

describe('SmtpMailer', () => {
  it('distinguishes transient errors from permanent ones and never shows the password', async () => {
    const refusing = (responseCode: number): SMTPServerOptions => ({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no'), { responseCode })),
    })
    for (const [code, isTransient] of [
      [450, true],
      [550, false],
    ] as const) {
      const { url, stop } = await startSmtp(refusing(code))
      const mailer = new SmtpMailer({ url, from: 'a@example.com' })
      await expect(mailer.send(MAIL)).rejects.toMatchObject({ code: 'ERR_MAIL', isTransient })
      await mailer.close()
      await stop()
    }
    const { url, stop } = await startSmtp()
    await stop()
    const unreachable = new SmtpMailer({ url: url.replace('://', '://user:hunter2@'), from: 'a@example.com' })
    const failed = unreachable.send(MAIL)
    await expect(failed).rejects.toMatchObject({ code: 'ERR_MAIL', isTransient: true })
    await expect(failed).rejects.not.toThrow('hunter2')
    await unreachable.close()
  })

  it('stops waiting for a silent server when it is aborted', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'a@example.com' })
    const abort = new AbortController()
    const sending = mailer.send(MAIL, { signal: abort.signal })
    setTimeout(() => abort.abort(new Error('stopped')), 100)
    await expect(sending).rejects.toThrow('stopped')
    await mailer.close()
    silent.close()
  })

  it('rejects a text that is not an address of a mail server and does not repeat it', () => {
    for (const url of ['', 'mail.example.com', 'https://user:hunter2@mail.example.com']) {
      expect(() => new SmtpMailer({ url, from: 'a@example.com' })).toThrow('must be an address such as smtp://')
      expect(() => new SmtpMailer({ url, from: 'a@example.com' })).not.toThrow('hunter2')
    }
  })
})

describe('FolderMailer', () => {
  it('writes files that only their owner may read, in the order of sending', async () => {
    const folder = await temporaryFolder()
    const mailer = new FolderMailer(join(folder.path, 'mail'))
    for (const subject of ['one', 'two', 'three']) {
      await mailer.send({ ...MAIL, subject })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const names = (await readdir(join(folder.path, 'mail'))).sort()
    const subjects: (string | undefined)[] = []
    for (const name of names) {
      const path = join(folder.path, 'mail', name)
      expect(name).toMatch(/\.eml$/)
      expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
      subjects.push((await PostalMime.parse(await readFile(path))).subject)
    }
    expect(subjects).toEqual(['one', 'two', 'three'])
    await folder.remove()
  })
})

import { type AddressInfo, createServer } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, it, vi } from 'vitest'
import { SmtpMailer } from '../../../adapters/mail/index.js'

const MAIL = { to: { name: 'Ada', address: 'ada@example.com' }, subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

/** A free port of this machine. Nothing listens on it. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

it('a mailer whose mail server was away, cut its connections and refused sends the next mail, without a restart', async () => {
  const port = await freePort()
  const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'Alcove <alcove@example.com>' })
  const away = { code: 'ERR_MAIL', isTransient: true }
  await expect(mailer.send(MAIL)).rejects.toMatchObject(away)
  // Accepts connections and ends them: a mail server that has no room for more.
  const full = createServer((socket) => void socket.end('421 try again later\r\n'))
  await new Promise<void>((resolve) => full.listen(port, '127.0.0.1', resolve))
  await expect(mailer.send(MAIL)).rejects.toMatchObject(away)
  await new Promise((resolve) => full.close(resolve))
  const mails: string[] = []
  let answers = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => {
      answers += 1
      if (answers === 1) done(Object.assign(new Error('mailbox busy'), { responseCode: 450 }))
      else done()
    },
    onData: (stream, _session, done) => {
      let mail = ''
      stream.on('data', (piece: Buffer) => {
        mail += piece.toString()
      })
      stream.on('end', () => {
        mails.push(mail)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  try {
    await expect(mailer.send(MAIL)).rejects.toMatchObject(away)
    expect(mails).toEqual([])
    await mailer.send(MAIL)
    expect(mails).toEqual([expect.stringContaining('Subject: Hello')])
    await mailer.close()
    // A mailer that was closed, or never had a connection, closes again.
    await mailer.close()
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
})

it('a mailer that could not start sends the next mail, and closes without an error', async () => {
  const sent: unknown[] = []
  let starts = 0
  vi.doMock('nodemailer', () => ({
    createTransport: () => {
      starts += 1
      if (starts === 1) throw new Error('EMFILE: too many open files')
      return { sendMail: async (mail: unknown) => sent.push(mail), close: () => undefined }
    },
  }))
  try {
    const mailer = new SmtpMailer({ url: 'smtp://127.0.0.1:25', from: 'Alcove <alcove@example.com>' })
    await expect(mailer.send(MAIL)).rejects.toMatchObject({ code: 'ERR_MAIL', isTransient: true })
    await mailer.send(MAIL)
    expect([starts, sent.length]).toEqual([2, 1])
    await mailer.close()
    starts = 0
    const failing = new SmtpMailer({ url: 'smtp://127.0.0.1:25', from: 'Alcove <alcove@example.com>' })
    await expect(failing.send(MAIL)).rejects.toThrow()
    await failing.close()
  } finally {
    vi.doUnmock('nodemailer')
  }
})

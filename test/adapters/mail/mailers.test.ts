import { expect, it, vi } from 'vitest'
import { SmtpMailer } from '../../../adapters/mail/index.js'

const MAIL = { to: { name: 'Ada', address: 'ada@example.com' }, subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

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

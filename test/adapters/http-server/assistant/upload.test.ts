import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Document } from '../../../../src/index.js'
import type { Answer } from '../check-answer.js'
import { fileForm, NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let contextId: number

const MAX_SIZE = 300_000

beforeAll(async () => {
  server = await startServer({ maxUploadBytes: 250_000 })
  token = await server.token('assistant')
})

beforeEach(async () => {
  const session = server.engine.as(server.engine.owner)
  contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: MAX_SIZE } })).id
})

afterAll(async () => {
  await server.close()
})

async function upload<Body = Problem>(form: FormData): Promise<Answer<Body>> {
  return await server.request<Body>('POST', `/context/upload/${contextId}`, { token, body: form })
}

async function documents(): Promise<readonly Document[]> {
  return (await server.request<Document[]>('GET', `/context/documents/${contextId}`, { token })).body
}

/** Files in the store, including unfinished ones. */
async function files(): Promise<string[]> {
  const folder = join(server.dataDir, 'files')
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

const BOUNDARY = 'frontier'

/** A multipart body, written by hand. */
function multipart(parts: readonly [string, string][], end = `--${BOUNDARY}--\r\n`): string {
  const bodies = parts.map(
    ([head, body]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`,
  )
  return bodies.join('') + end
}

async function send(body: string): Promise<Answer<Problem>> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  return await server.request<Problem>('POST', `/context/upload/${contextId}`, { token, body, headers })
}

interface RawUpload {
  readonly response: Promise<{ readonly status: number; readonly body: string }>
  readonly write: (piece: Buffer) => void
  readonly end: () => void
  readonly abort: () => void
}

/** An upload that the test sends piece by piece. */
function rawUpload(headers: Record<string, string | number>): RawUpload {
  const request = httpRequest(`${server.url}/context/upload/${contextId}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
  })
  const response = new Promise<{ status: number; body: string }>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (message: IncomingMessage) => {
      let body = ''
      message.setEncoding('utf8').on('data', (piece: string) => {
        body += piece
      })
      message.on('end', () => resolve({ status: message.statusCode ?? 0, body }))
      message.on('error', reject)
    })
  })
  return {
    response,
    write: (piece) => request.write(piece),
    end: () => request.end(),
    abort: () => request.destroy(),
  }
}

const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="big.txt"\r\n\r\n`

describe('POST /context/upload/{contextId}', () => {
  it('answers the UUID that the list of documents shows', async () => {
    const { status, body } = await upload<string>(fileForm('report.txt', 'The quick brown fox.'))
    expect(status).toBe(200)
    await server.engine.as(server.engine.owner).documents.whenProcessed(body)
    expect(await documents()).toMatchObject([
      {
        fileName: body,
        originalName: 'report.txt',
        contextId,
        size: 20,
        chunks: 1,
        contentType: 'text/plain',
        error: null,
      },
    ])
  })

  // U1
  it('refuses by Content-Length before the body is read', async () => {
    const { response, write, abort } = rawUpload({ 'content-length': 10_000_000 })
    write(Buffer.from(HEAD))
    // The test sends nothing more, so an answer can only come from the header.
    const { status, body } = await response
    expect([status, (JSON.parse(body) as Problem).code]).toEqual([413, 'ERR_QUOTA_EXCEEDED'])
    abort()
    expect([await documents(), await files()]).toEqual([[], expect.any(Array)])
  })

  // U1
  it('accepts a file that exactly fits, and not one byte more', async () => {
    await upload(fileForm('first.txt', 'a'.repeat(100_000)))
    expect((await upload(fileForm('one more.txt', 'b'.repeat(200_001)))).status).toBe(413)
    expect((await upload(fileForm('exact.txt', 'c'.repeat(200_000)))).status).toBe(200)
    expect((await upload(fileForm('full.txt', 'd'))).status).toBe(413)
  })

  it('limits the size of one file by --max-upload too', async () => {
    expect((await upload(fileForm('a.txt', 'a'.repeat(250_000)))).status).toBe(200)
    contextId = (await server.engine.as(server.engine.owner).contexts.create(NEW_CONTEXT)).id
    const { status, body } = await upload(fileForm('a.txt', 'a'.repeat(250_001)))
    expect([status, body.detail]).toEqual([413, expect.stringContaining('250000')])
  })

  // U2
  it('stops a body of unknown length at the limit, and stores nothing of it', async () => {
    const before = await files()
    const { response, write, end } = rawUpload({ 'transfer-encoding': 'chunked' })
    write(Buffer.from(HEAD))
    const piece = Buffer.alloc(64_000, 'x')
    for (let sent = 0; sent < 20; sent += 1) write(piece)
    end()
    expect((await response).status).toBe(413)
    expect(await documents()).toEqual([])
    await expect.poll(files).toEqual(before)
    // The whole quota is free.
    expect((await upload(fileForm('after.txt', 'y'.repeat(250_000)))).status).toBe(200)
  })

  // U2
  it('uses constant memory while a body of hundreds of megabytes arrives', async () => {
    const settings = { maxSizeBytes: 250_000_000 }
    const own = await startServer()
    const { id } = await own.engine.as(own.engine.owner).contexts.create({ ...NEW_CONTEXT, settings })
    const bearer = await own.token('assistant')
    const piece = new TextEncoder().encode('All work and no play. '.repeat(3_000))
    let left = 400_000_000
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(HEAD)),
      pull: (controller) => {
        left -= piece.length
        if (left > 0) controller.enqueue(piece)
        else controller.close()
      },
    })
    const inUse = (): number => {
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    gc?.()
    const before = inUse()
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, inUse() - before)
    }, 20)
    // Client and server share one process, so the test sees the memory that either keeps.
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    const sending = new AbortController()
    const init = { method: 'POST', headers, body, duplex: 'half', signal: sending.signal } as RequestInit
    try {
      const response = await fetch(`${own.url}/context/upload/${id}`, init)
      expect(response.status).toBe(413)
      expect(most).toBeLessThan(100_000_000)
    } finally {
      clearInterval(watch)
      sending.abort()
      await own.close()
    }
  })

  // U2
  it.each(['a field', 'a preamble'])(
    'stops a body that has more beside its file than a form needs: %s',
    async (what) => {
      const { response, write, end } = rawUpload({ 'transfer-encoding': 'chunked' })
      if (what === 'a field') write(Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n`))
      const filler = Buffer.alloc(64_000, 'x')
      for (let sent = 0; sent < 100; sent += 1) write(filler)
      write(Buffer.from(`\r\n${HEAD}text\r\n--${BOUNDARY}--\r\n`))
      end()
      expect((await response).status).toBe(413)
      expect(await documents()).toEqual([])
    },
  )

  // U3
  it('refuses one of two files that fit only one at a time', async () => {
    const answers = await Promise.all(
      ['a', 'b'].map(async (name) => await upload(fileForm(`${name}.txt`, name.repeat(200_000)))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 413])
    expect(await documents()).toHaveLength(1)
  })

  // U4
  it('accepts exactly one file, in the field file', async () => {
    const before = await files()
    const two = fileForm('a.txt', 'one')
    two.append('file', new Blob(['two']), 'b.txt')
    expect(await upload(two)).toMatchObject({ status: 400, body: { detail: 'file: must contain exactly one file' } })
    expect(await upload(fileForm('a.txt', 'one', 'document'))).toMatchObject({ status: 400 })
    const mixed = fileForm('a.txt', 'one')
    mixed.append('other', new Blob(['two']), 'b.txt')
    expect((await upload(mixed)).status).toBe(400)
    expect((await upload(new FormData())).status).toBe(400)
    const text = new FormData()
    text.append('file', 'a text, not a file')
    expect((await upload(text)).status).toBe(400)
    for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'multipart/mixed; boundary=x']) {
      const headers = { 'content-type': type }
      const answer = await server.request('POST', `/context/upload/${contextId}`, { token, body: 'x', headers })
      expect([type, answer.status]).toEqual([type, 400])
    }
    expect((await server.request('POST', `/context/upload/${contextId}`, { token })).status).toBe(400)
    expect(await documents()).toEqual([])
    await expect.poll(files).toEqual(before)
  })

  // U4
  it('accepts other fields beside the file', async () => {
    const form = new FormData()
    form.append('note', 'for the archive')
    form.append('file', new Blob(['text']), 'a.txt')
    form.append('more', 'behind it')
    expect((await upload(form)).status).toBe(200)
  })

  // U5
  it.each<[string, string]>([
    ['a missing end boundary', multipart([['name="file"; filename="a.txt"', 'text']], '')],
    ['an end in the middle of the file', HEAD + 'te'],
    ['an end in the middle of a header', `--${BOUNDARY}\r\nContent-Dispo`],
    ['no part at all', ''],
    ['only rubbish', 'rubbish'],
    ['an empty field name', multipart([['name=""; filename="a.txt"', 'text']])],
    ['no field name', multipart([['filename="a.txt"', 'text']])],
    ['a numeric field name', multipart([['name="0"; filename="a.txt"', 'text']])],
    ['a nested field name', multipart([['name="file[a][b]"; filename="a.txt"', 'text']])],
    ['a field named after a prototype', multipart([['name="__proto__"; filename="a.txt"', 'text']])],
    ['no disposition', `--${BOUNDARY}\r\n\r\ntext\r\n--${BOUNDARY}--\r\n`],
    [
      'thousands of parts',
      multipart(Array.from({ length: 5_000 }, (_, at): [string, string] => [`name="n${at}"`, 'x'])),
    ],
    ['a header without end', `--${BOUNDARY}\r\n${'x'.repeat(200_000)}`],
  ])('refuses %s by 400, and continues to run', async (_name, body) => {
    const before = await files()
    expect((await send(body)).status).toBe(400)
    expect(await documents()).toEqual([])
    await expect.poll(files).toEqual(before)
    expect((await upload(fileForm('fine.txt', 'fine'))).status).toBe(200)
  })

  // U6
  it('discards an upload whose client disconnects', async () => {
    const before = await files()
    const { response, write, abort } = rawUpload({ 'content-length': 250_000 })
    response.catch(() => undefined)
    write(Buffer.from(HEAD))
    write(Buffer.alloc(150_000, 'x'))
    await expect.poll(async () => (await files()).length).toBe(before.length + 1)
    abort()
    await expect.poll(files).toEqual(before)
    expect(await documents()).toEqual([])
    await expect
      .poll(async () => (await upload(fileForm('after.txt', 'y'.repeat(250_000)))).status, { timeout: 10_000 })
      .toBe(200)
  })

  // U9
  it('keeps unusual names as names', async () => {
    const names = [
      '../../x.txt',
      '..\\..\\y.txt',
      '/etc/passwd.txt',
      'a\u202Etxt.exe.txt',
      `${'n'.repeat(9_990)}.txt`,
      '東京.txt',
    ]
    for (const name of names) {
      const body = multipart([
        [`name="file"; filename="${name.replaceAll('\\', '\\\\')}"`, `text of ${name.slice(0, 20)}`],
      ])
      expect([name.slice(0, 20), (await send(body)).status]).toEqual([name.slice(0, 20), 200])
    }
    const control = multipart([['name="file"; filename="nul\u0000bell\u0007.txt"', 'control']])
    expect((await send(control)).status).toBe(200)
    const listed = (await documents()).map(({ originalName }) => originalName)
    const shown = ['x.txt', 'y.txt', 'passwd.txt', 'a\uFFFDtxt.exe.txt', ...names.slice(4), 'nul\uFFFDbell\uFFFD.txt']
    expect(listed).toEqual(shown)
  })

  it('reads names as browsers write them, and as RFC 5987 does', async () => {
    const shown = 'a"b 100%.txt'
    const browser = await upload<string>(fileForm(shown, 'one'))
    const quoted = await send(multipart([['name="file"; filename="a\\"b 100%.txt"', 'two']]))
    const extended = await send(multipart([['name="file"; filename*=UTF-8\'\'a%22b%20100%25.txt', 'three']]))
    const escapes = await send(multipart([['name="file"; filename="x%0D%0Ay%2F%41.txt"', 'four']]))
    expect([browser.status, quoted.status, extended.status, escapes.status]).toEqual([200, 200, 200, 200])
    const listed = (await documents()).map(({ originalName }) => originalName)
    // Line ends are made visible, and no other escape is read: a path stays a name.
    expect(listed).toEqual([shown, shown, shown, 'x\uFFFD\uFFFDy%2F%41.txt'])
  })

  it('logs no failure of the service when the client disconnects', async () => {
    const failures = (): number => server.telemetry.events.filter(({ name }) => name === 'http.request.failed').length
    const before = failures()
    const { hostname, port } = new URL(server.url)
    for (const path of ['/auth/setup', '/context', '/connect/token', `/context/relevant-docs/${contextId}`]) {
      await new Promise<void>((resolve, reject) => {
        const head = [`POST ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${token}`]
        const type = path === '/connect/token' ? 'application/x-www-form-urlencoded' : 'application/json'
        const lines = [...head, `content-type: ${type}`, 'content-length: 1000', '', '{"prompt":']
        const socket = connect(Number(port), hostname, () => {
          socket.write(lines.join('\r\n'))
          setTimeout(() => socket.destroy(), 50)
        })
        socket.on('close', () => resolve()).on('error', reject)
      })
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(failures()).toBe(before)
    expect((await server.request('GET', '/health')).status).toBe(200)
  })

  it('refuses by 400 at once every upload whose error is visible before its end', async () => {
    expect(await upload(fileForm('empty.txt', ''))).toMatchObject({ status: 400, body: { code: 'ERR_EMPTY_FILE' } })
    const unsupported = { status: 400, body: { code: 'ERR_UNSUPPORTED_FORMAT' } }
    expect(await upload(fileForm('photo.png', 'x'))).toMatchObject(unsupported)
    expect(await upload(fileForm('no ending', 'x'))).toMatchObject(unsupported)
    expect(await documents()).toEqual([])
  })

  it('refuses an unknown context by 404, before it reads the body', async () => {
    const { body, status } = await server.request<Problem>('POST', '/context/upload/99999', {
      token,
      body: fileForm('a.txt', 'text'),
    })
    expect([status, body.code]).toEqual([404, 'ERR_CONTEXT_NOT_FOUND'])
  })

  it('survives requests that are not HTTP', async () => {
    const { hostname, port } = new URL(server.url)
    for (const rubbish of [
      '\r\n\r\n',
      'GET\r\n\r\n',
      'POST /context HTTP/1.1\r\nContent-Length: -5\r\n\r\n',
      '\u0000\u0001',
    ]) {
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.end(rubbish))
        socket.on('close', () => resolve()).on('error', reject)
        socket.resume()
      })
    }
    expect((await server.request('GET', '/health')).status).toBe(200)
  })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Document } from '../../../../src/index.js'
import { onePage, stream } from '../../text-extraction/hostile/pdf-writer.js'
import { AFTER_TEXT, BEFORE_TEXT, bodyOf, deflatedMegabytes, docxOf } from '../../text-extraction/hostile/zip-writer.js'
import type { Answer } from '../check-answer.js'
import { NEW_CONTEXT, type Problem, startServer, type TestServer } from '../server.js'

let server: TestServer
let token: string
let contextId: number

beforeAll(async () => {
  server = await startServer()
  token = await server.token('assistant')
  contextId = (await server.engine.as(server.engine.owner).contexts.create(NEW_CONTEXT)).id
})

afterAll(async () => {
  await server.close()
})

async function upload(
  name: string,
  bytes: Buffer,
  type: string,
): Promise<Answer<Problem & { readonly uuid?: string }>> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(bytes)], { type }), name)
  return await server.request('POST', `/context/upload/${contextId}`, { token, body })
}

/** The document as the list shows it, once its processing has finished. */
async function ended(name: string): Promise<Document | undefined> {
  let found: Document | undefined
  await expect
    .poll(
      async () => {
        const { body } = await server.request<Document[]>('GET', `/context/documents/${contextId}`, { token })
        found = body.find(({ originalName }) => originalName === name)
        return found !== undefined && (found.completed !== null || found.error !== null)
      },
      { timeout: 40_000 },
    )
    .toBe(true)
  return found
}

const pdf = onePage(stream('BT /F 12 Tf (hello) Tj ET'))
const docx = docxOf({ data: bodyOf('hello from Word') })
const program = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(500)])

// U10
describe('an upload', () => {
  it.each([
    ['an executable named .pdf', 'tool.pdf', program, 'application/pdf', 'ERR_UNSUPPORTED_FORMAT', /a program/],
    ['0 bytes', 'empty.pdf', Buffer.alloc(0), 'application/pdf', 'ERR_EMPTY_FILE', /empty/],
    [
      'a PDF named .txt',
      'a.txt',
      pdf,
      'text/plain',
      'ERR_WRONG_TYPE',
      /The content is a PDF, .* rename the file to \.pdf/,
    ],
    [
      'a .docx named .txt',
      'b.txt',
      docx,
      'text/plain',
      'ERR_WRONG_TYPE',
      /a Word document, .* rename the file to \.docx/,
    ],
    [
      'plain text named .docx',
      'c.docx',
      Buffer.from('text'),
      'text/plain',
      'ERR_WRONG_TYPE',
      /rename the file to \.txt/,
    ],
  ])(
    'is refused by 400 at once when its content does not match its name: %s',
    async (_what, name, bytes, type, code, detail) => {
      const { status, body } = await upload(name, bytes, type)
      expect([status, body.code]).toEqual([400, code])
      expect(body.detail).toMatch(detail)
      const list = await server.request<Document[]>('GET', `/context/documents/${contextId}`, { token })
      expect(list.body.map(({ originalName }) => originalName)).not.toContain(name)
    },
  )

  it('has the type of its content, whatever type the client sends with it', async () => {
    expect((await upload('sent-as-text.docx', docx, 'text/plain')).status).toBe(200)
    const document = await ended('sent-as-text.docx')
    expect(document).toMatchObject({
      error: null,
      contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    })
    const example = await readFile(join(import.meta.dirname, '../../../../examples/documents/opening-hours.doc'))
    expect((await upload('sent-as-pdf.doc', example, 'application/pdf')).status).toBe(200)
    expect(await ended('sent-as-pdf.doc')).toMatchObject({ error: null, contentType: 'application/msword' })
  })

  // Many clients send text/plain for everything, and a part without a type counts as one.
  it('is refused under a name of no format, whatever type the client sends', async () => {
    for (const type of ['', 'application/octet-stream', 'text/plain']) {
      const { status, body } = await upload('build.out2', Buffer.from('All tests passed.'), type)
      expect([status, body.code]).toEqual([400, 'ERR_UNSUPPORTED_FORMAT'])
    }
  })
})

// U7
describe('an upload', () => {
  it('gets an error on its record when it is a zip bomb, and the engine reads the next one', async () => {
    const data = deflatedMegabytes(64, BEFORE_TEXT, AFTER_TEXT)
    const statedSize = BEFORE_TEXT.length + 64 * 1_048_576 + AFTER_TEXT.length
    expect((await upload('bomb.docx', docxOf({ data, isDeflated: true, statedSize }), '')).status).toBe(200)
    expect((await upload('next.docx', docxOf({ data: bodyOf('after the bomb') }), '')).status).toBe(200)
    expect(await ended('bomb.docx')).toMatchObject({
      completed: null,
      error: 'The unpacked file has more than 200 times its packed size: split it (ERR_EXTRACTION_LIMIT)',
    })
    expect(await ended('next.docx')).toMatchObject({ error: null, completed: expect.any(String) as string })
  })
})

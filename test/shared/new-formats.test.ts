import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import MarkdownIt from 'markdown-it'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { extracted, sourceOf } from '../extracted.js'
import { dataFolder, readShared, sharedDocuments } from './shared-documents.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

const MAX_BYTES = 16_777_216
/** Strings that a reader may change: with control characters, or signs that no text has alone. */
const ODD = /\p{Cc}|\p{Cs}|\uFEFF/u

/** Files of data in the shared folder. They are real JSON of other programs. */
function jsonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.jsonl?(\.gz)?$/.test(path))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).size > 0)
}

/** The strings of a value, in their order. */
function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* stringsOf(each)
}

function parse(text: string, isLines: boolean): unknown {
  return isLines
    ? text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as unknown)
    : JSON.parse(text)
}

const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The share of the expected words that a text has, each as often as it is expected. */
function recall(text: string, expected: string): number {
  const left = new Map<string, number>()
  for (const word of words(text)) left.set(word, (left.get(word) ?? 0) + 1)
  const wanted = words(expected)
  let found = 0
  for (const word of wanted) {
    const count = left.get(word) ?? 0
    if (count > 0) found += 1
    left.set(word, count - 1)
  }
  return wanted.length === 0 ? 1 : found / wanted.length
}

describe.skipIf(dataFolder === undefined)('real files of data', () => {
  it.each(jsonFiles(dataFolder ?? import.meta.dirname))(
    'have each string of JSON.parse in their text, in order: %s',
    async (path) => {
      const packed = readFileSync(path)
      const bytes = path.endsWith('.gz') ? gunzipSync(packed) : packed
      if (bytes.length > MAX_BYTES) return
      const name = basename(path, '.gz')
      const { text } = await extracted(extractor, sourceOf(name, bytes))
      let at = 0
      const missing: string[] = []
      for (const value of stringsOf(parse(bytes.toString('utf8'), name.endsWith('.jsonl')))) {
        if (ODD.test(value) || value.trim() === '') continue
        const found = text.indexOf(value.trim(), at)
        if (found < 0) missing.push(value.slice(0, 80))
        else at = found
      }
      expect(missing).toEqual([])
    },
  )
})

describe.skipIf(dataFolder === undefined)('real texts, written by other programs', async () => {
  const documents = await sharedDocuments()

  it('have their headings and words as web pages of markdown-it', async () => {
    const markdown = new MarkdownIt({ html: true })
    let [equal, all] = [0, 0]
    for (const document of documents.filter(({ type }) => type === 'md')) {
      const source = (await readShared(document)).bytes.toString('utf8')
      const tokens = markdown.parse(source, {})
      const expected = tokens.flatMap((token, at) =>
        token.type === 'heading_open'
          ? [inOneLine((tokens[at + 1]?.children ?? []).map(({ content }) => content).join(''))]
          : [],
      )
      const page = `<!doctype html><html><body>${markdown.render(source)}</body></html>`
      const { text, pieces } = await extracted(extractor, sourceOf('page.html', Buffer.from(page)))
      const headings = pieces.flatMap(({ marks = [] }) =>
        marks.flatMap((mark) => ('heading' in mark ? [inOneLine(mark.heading)] : [])),
      )
      const plain = new Set(headings)
      all += expected.length
      equal += expected.filter((heading) => plain.has(heading.slice(0, 200)) || heading === '').length
      const paragraphs = tokens.map(({ children }) =>
        (children ?? [])
          .map(({ type, content }) =>
            /^(text|code_inline)$/.test(type) ? content : /break|html|image/.test(type) ? ' ' : '',
          )
          .join(''),
      )
      expect(recall(text, paragraphs.join(' ')), document.file).toBeGreaterThan(0.99)
    }
    console.log(`${equal} of ${all} headings of web pages are right`)
    expect(equal / all).toBeGreaterThan(0.97)
  })

  it('have their subject, both kinds of text and the names of attachments as mails of nodemailer', async () => {
    const texts = documents.filter(({ type, tag }) => type === 'txt' && tag !== 'encoding').slice(0, 20)
    expect(texts.length).toBeGreaterThan(0)
    const markdown = new MarkdownIt()
    for (const document of texts) {
      const text = (await readShared(document)).bytes.toString('utf8').slice(0, 200_000)
      if (ODD.test(text.replaceAll(/[\r\n\t]/g, ''))) continue
      const subject = `Grüße: ${basename(document.file)}`
      const attachments = [{ filename: 'Preise 東京.csv', content: 'city,price\nOslo,12\n' }]
      for (const body of [
        { text },
        { html: markdown.render(text) },
        { text, html: markdown.render(text), attachments },
      ]) {
        const mail = { from: 'ada@example.com', to: 'bob@example.com', subject, ...body }
        const bytes = await new MailComposer(mail).compile().build()
        const read = await extracted(extractor, sourceOf('mail.eml', bytes))
        expect(read.text).toContain(subject)
        expect(recall(read.text, text), document.file).toBeGreaterThan(0.99)
      }
    }
  })
})

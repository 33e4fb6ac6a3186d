import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { CsvRows, guessDialect } from '../../adapters/text-extraction/readers/csv-reader.js'
import { DecodedText } from '../../adapters/text-extraction/readers/text-reader.js'
import { extracted, sourceOf } from '../extracted.js'
import { dataFolder, readShared, type SharedDocument, sharedDocuments } from './shared-documents.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function textOf(fileName: string, bytes: Uint8Array): Promise<string> {
  return (await extracted(extractor, sourceOf(fileName, bytes))).text
}

/** Encodings as the names of the files declare them, with their decoders. */
const DECLARED: Readonly<Record<string, string>> = {
  Arabic: 'windows-1256',
  Baltic: 'iso-8859-4',
  CP932: 'shift_jis',
  Cyrillic: 'windows-1251',
  'EUC-JP': 'euc-jp',
  'EUC-KR': 'euc-kr',
  GB2312: 'gb18030',
  Hebrew: 'iso-8859-8',
  IBM855: 'cp855',
  IBM866: 'cp866',
  'KOI8-R': 'koi8-r',
  Latin1: 'windows-1252',
  Latin2: 'iso-8859-2',
  MacCyrillic: 'maccyrillic',
  MacRoman: 'macintosh',
  SHIFT_JIS: 'shift_jis',
  'TIS-620': 'windows-874',
  Turkish: 'windows-1254',
  'UTF-32': 'utf-32',
  UTF8: 'utf-8',
  ascii: 'ascii',
  'iso-2022-jp': 'iso-2022-jp',
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'iso-8859-2',
  'iso-8859-5': 'iso-8859-5',
  'iso-8859-6': 'iso-8859-6',
  'iso-8859-9': 'windows-1254',
  'utf-8': 'utf-8',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'windows-1255': 'windows-1255',
}
/** Wrong names: the Latin-2 of the first is Windows-1250, the Cyrillic of the last ISO 8859-5. */
const MISLABELLED = /Bosnian_Bosanski-Latin2|Croatian|Slovenian|Kazakh|Hungarian_Magyar|Polish|Slovak-Latin2|Mongolian/

interface Declared extends SharedDocument {
  readonly encoding: string
}

function declared(document: SharedDocument): Declared[] {
  const name = document.file.replace(/^.*\//, '').replace(/\.txt(\.gz)?$/, '')
  const label = name.startsWith('udhr_') ? name.slice(name.lastIndexOf('-') + 1) : name.split('__')[0]
  const encoding = label === undefined ? undefined : (DECLARED[label] ?? DECLARED[label.replace(/-[a-z]+$/, '')])
  return encoding === undefined || MISLABELLED.test(name) ? [] : [{ ...document, encoding }]
}

function decoded(bytes: Uint8Array, encoding: string): string {
  // Some versions of Node treat it as ISO 8859-1.
  if (encoding === 'windows-1252') return iconv.decode(Buffer.from(bytes), encoding)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return iconv.decode(Buffer.from(bytes), encoding)
  }
}

describe.skipIf(dataFolder === undefined)('texts whose encoding their name declares', async () => {
  const documents = (await sharedDocuments()).filter(({ type }) => type === 'txt').flatMap(declared)

  it.each([
    ['of a detector’s tests', (file: string) => file.includes('__'), 0.95],
    ['of all others', (file: string) => !file.includes('__'), 0.92],
  ] as const)(
    'are read letter by letter: those %s',
    async (what, isMeant, least) => {
      const wrong: string[] = []
      const meant = documents.filter(({ file }) => isMeant(file))
      for (const document of meant) {
        const { fileName, bytes } = await readShared(document)
        const text = await textOf(fileName, bytes).catch((error: unknown) => String(error))
        const isRight = text === decoded(bytes, document.encoding).replaceAll('\0', '\uFFFD')
        if (!isRight) wrong.push(fileName)
      }
      console.log(`txt ${what}: ${meant.length - wrong.length} of ${meant.length} to the letter`, wrong)
      expect(1 - wrong.length / meant.length).toBeGreaterThanOrEqual(least)
    },
    300_000,
  )
})

describe.skipIf(dataFolder === undefined)('Markdown', async () => {
  const documents = (await sharedDocuments()).filter(({ type }) => type === 'md')

  it.each(documents)('is returned byte by byte: $file', async (document) => {
    const { fileName, bytes } = await readShared(document)
    expect(await textOf(fileName, bytes)).toBe(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  })
})

const PYTHON = `
import csv, io, json, sys
csv.field_size_limit(10 ** 9)
asked = json.load(sys.stdin)
rows = csv.reader(io.StringIO(asked['text'], newline=''), delimiter=asked['delimiter'])
json.dump([row for row in rows if row], sys.stdout)
`
const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(dataFolder === undefined)('tables', async () => {
  const documents = (await sharedDocuments()).filter(({ type }) => type === 'csv')

  async function rowsOf(bytes: Buffer): Promise<{ text: string; delimiter: string; rows: (readonly string[])[] }> {
    const open = async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    }
    let text = ''
    for await (const piece of (await DecodedText.of({ sizeBytes: bytes.length, open })).pieces()) text += piece
    const { delimiter } = guessDialect(text)
    const parser = new CsvRows(delimiter)
    const parts = [...parser.push(text), ...parser.end()]
    return { text, delimiter, rows: parts.map((part) => ('cells' in part ? part.cells : [part.text])) }
  }

  it.skipIf(!hasPython)(
    'have the rows that Python reads',
    async () => {
      const wrong: string[] = []
      for (const document of documents) {
        const { fileName, bytes } = await readShared(document)
        const { rows, ...asked } = await rowsOf(bytes)
        const answer = execFileSync('python3', ['-c', PYTHON], {
          input: JSON.stringify(asked),
          maxBuffer: 1_000_000_000,
        }).toString()
        if (JSON.stringify(rows) !== JSON.stringify(JSON.parse(answer))) wrong.push(fileName)
      }
      console.log(`csv: ${documents.length - wrong.length} of ${documents.length} row-equal`, wrong)
      expect(1 - wrong.length / documents.length).toBeGreaterThanOrEqual(0.98)
    },
    300_000,
  )

  it.each(['comma_in_quotes', 'empty', 'escaped_quotes', 'newlines'])('have the expected rows: %s', async (name) => {
    const folder = dataFolder ?? ''
    const expected = JSON.parse(
      readFileSync(join(folder, `expected/csv/${name}.csv.expected.json`), 'utf8'),
    ) as readonly Readonly<Record<string, string>>[]
    const { rows } = await rowsOf(readFileSync(join(folder, `docs/csv/${name}.csv`)))
    const [header = [], ...body] = rows
    expect(body.map((row) => Object.fromEntries(header.map((key, column) => [key, row[column]])))).toEqual(expected)
  })
})

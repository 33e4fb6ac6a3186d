import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EvaluationQuestion, readQuestions } from '../../../../adapters/local/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

async function read(content: string | Uint8Array): Promise<EvaluationQuestion[]> {
  const file = join(folder.path, 'questions.csv')
  await writeFile(file, content)
  return await readQuestions(file)
}

describe('questions in a csv file', () => {
  const ROWS = [
    { question: 'How long?', document: 'a.txt', line: 2 },
    { question: 'Who, and when?', document: 'b "x".txt', passage: 'one\ntwo', line: 3 },
    { question: 'Why?', document: 'c.txt', line: 6 },
  ]
  const text = (delimiter: string): string =>
    [
      ['Question', ' document', 'PASSAGE'].join(delimiter),
      ['How long?', 'a.txt', ''].join(delimiter),
      ['"Who, and when?"', '"b ""x"".txt"', '"one\ntwo"'].join(delimiter),
      '',
      ['Why?', ' c.txt ', ' '].join(delimiter),
      '',
    ].join('\n')

  it.each([',', ';', '\t'])('are read with the delimiter %j, with and without a byte order mark', async (delimiter) => {
    expect(await read(text(delimiter))).toEqual(ROWS)
    expect(await read(`\uFEFF${text(delimiter)}`)).toEqual(ROWS)
    for (const lineEnd of ['\r\n', '\r']) {
      expect(await read(text(delimiter).replaceAll('\n', lineEnd))).toEqual(ROWS)
    }
  })

  it('have their columns in any order', async () => {
    expect(await read('document,question\na.txt,Why?\n')).toEqual([{ question: 'Why?', document: 'a.txt', line: 2 }])
  })

  it.each([
    ['question,document\nWhy?,a.txt\n ,a.txt\n', 'line 3, column question: is empty: write a value'],
    ['question;document\nWhy?;\n', 'line 2, column document: is empty: write a value'],
    ['question,document\nWhy, and how?,a.txt\n', 'line 2: has 3 values, and the first row 2: put a value'],
    ['question,document\nWhy?\n', 'line 2: has 1 values, and the first row 2'],
    ['question,answer\nWhy?,a\n', 'line 1: unknown column "answer": the first row must name the columns question, '],
    ['question,passage\nWhy?,a\n', 'line 1: the column document is missing'],
    ['question,question\nWhy?,a\n', 'line 1: the column question is there twice'],
    ['question,document\nWhy?,"a.txt\n', 'after line 1: a quote is not closed'],
    ['question,document\nWhy?,a.txt\n"Why" not?,a.txt\n', 'line 3: a quote stands inside a value'],
    ['question,document\nWhat is "E4"?,a.txt\n', 'line 2: a quote stands inside a value'],
    ['question,document\n', 'has no questions'],
    ['', 'has no questions'],
  ])('%j is refused with the place and what to do', async (content, message) => {
    await expect(read(content)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringContaining(message) as string,
    })
  })

  it('must be UTF-8, and a file', async () => {
    await expect(read(Buffer.from('question,document\nCaf\xE9?,a.txt\n', 'latin1'))).rejects.toThrow(
      'must be text in UTF-8: save it with that encoding',
    )
    await expect(readQuestions(join(folder.path, 'none.csv'))).rejects.toThrow('cannot be read (ENOENT)')
    await mkdir(join(folder.path, 'folder'))
    await expect(readQuestions(join(folder.path, 'folder'))).rejects.toThrow('is not a file')
  })
})

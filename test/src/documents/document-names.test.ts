import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFileName } from '../../../src/documents/document.js'
import { displayName, shownName } from '../../../src/ports/index.js'

// A63
describe('the original name', () => {
  it.each([
    ['../../x.txt', 'x.txt'],
    ['/etc/passwd.txt', 'passwd.txt'],
    ['C:\\temp\\..\\y.txt', 'y.txt'],
    ['mixed\\a/b.txt', 'b.txt'],
    ['a\u202Etxt.exe.txt', 'a\uFFFDtxt.exe.txt'],
    ['\u2066a\u2069.txt', '\uFFFDa\uFFFD.txt'],
    ['a\r\nb\u2028c.txt', 'a\uFFFD\uFFFDb\uFFFDc.txt'],
    ['חוזה.pdf', 'חוזה.pdf'],
    ['日本語 (2).txt', '日本語 (2).txt'],
    ['re\u0301sume\u0301.txt', 'r\u00e9sum\u00e9.txt'],
  ])('of %j is shown as %j', (given, shown) => {
    expect(parseFileName(given)).toBe(shown)
  })

  it.each(['', '  ', 'folder/', 'C:\\', null, 5])('does not exist in %j', (given) => {
    expect(() => parseFileName(given)).toThrow('fileName: must be a name that ends in the format')
  })

  it('never shows a path, a control character or an override, and stays the same when it is sanitised a second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (given) => {
        const shown = shownName(given)
        expect(shown).not.toMatch(/[/\\\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u)
        expect(shownName(shown)).toBe(shown)
      }),
    )
  })
})

// A64
describe('the display name', () => {
  it.each([
    ['report.pdf', 0, 'report.pdf'],
    ['report.pdf', 1, 'report (1).pdf'],
    ['a.b.c.txt', 12, 'a.b.c (12).txt'],
    ['a:b?<c>|"*.txt', 0, 'a_b__c____.txt'],
    ['NUL.txt', 0, '_NUL.txt'],
    ['com1.report.txt', 0, '_com1.report.txt'],
    ['console.txt', 0, 'console.txt'],
    ['.txt', 0, '_.txt'],
    ['.txt', 1, '_ (1).txt'],
    [`${'n'.repeat(9_996)}.txt`, 3, `${'n'.repeat(247)} (3).txt`],
    [`${'東'.repeat(300)}.txt`, 0, `${'東'.repeat(83)}.txt`],
  ])('of %j, number %i, is %j', (originalName, nameIndex, expected) => {
    expect(displayName(originalName, nameIndex)).toBe(expected)
  })

  it('names a file in the folder it is saved in, and nowhere else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alcove-names-'))
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
          fc.nat({ max: 3 }),
          async (given, nameIndex) => {
            const name = displayName(`${given}.txt`, nameIndex)
            await writeFile(join(folder, name), '')
            expect(await readdir(folder)).toEqual([name])
            expect(name).toMatch(/\.txt$/)
            expect(name).not.toMatch(/["*/:<>?\\|\p{Cc}]|[. ]$/u)
            await rm(join(folder, name))
          },
        ),
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

import { describe, expect, it } from 'vitest'
import { compileBlocks, parseFragment } from './compile-blocks.js'
import { blocksOf, type CodeBlock, pagesOfDocs } from './markdown-pages.js'
import { parseCommand } from './parse-command.js'
import { alcoveCommands } from './shell-commands.js'

const PAGES = ['README.md', ...pagesOfDocs()]
const blocks = PAGES.flatMap(blocksOf)

function inLanguage(...languages: readonly string[]): CodeBlock[] {
  return blocks.filter(({ language }) => languages.includes(language))
}

/** A block without imports, or with one of a file beside it, is a part of a program. It is only parsed. */
function isFragment({ code, marks }: CodeBlock): boolean {
  return marks.includes('fragment') || !/^import /m.test(code) || code.includes("from './")
}

describe('the code of the pages', () => {
  it('compiles as whole programs wherever it imports something', () => {
    expect(compileBlocks(inLanguage('ts', 'js').filter((block) => !isFragment(block)))).toEqual([])
    // Loading the types of the package and its libraries takes seconds on a busy machine.
  }, 180_000)

  it('contains only parts of programs that can be parsed', () => {
    expect(inLanguage('ts', 'js').filter(isFragment).flatMap(parseFragment)).toEqual([])
  })

  it('contains only command lines that the program accepts', async () => {
    const problems: string[] = []
    for (const { page, line, code } of inLanguage('sh', 'bash')) {
      for (const args of alcoveCommands(code)) {
        const problem = await parseCommand(args)
        if (problem !== undefined) problems.push(`${page}:${line} alcove ${args.join(' ')}: ${problem}`)
      }
    }
    expect(problems).toEqual([])
  })

  it('contains only JSON that can be parsed', () => {
    const problems = inLanguage('json').flatMap(({ page, line, code }) => {
      try {
        JSON.parse(code)
        return []
      } catch (error) {
        return [`${page}:${line} ${String(error)}`]
      }
    })
    expect(problems).toEqual([])
  })
})

describe('the test of command lines', () => {
  it.each([
    [
      'alcove search --context Handbook --top 3 "How long?" | head',
      [['search', '--context', 'Handbook', '--top', '3', 'How long?']],
    ],
    ['export A=b; B=1 npx alcove init > out.txt # alcove none', [['init']]],
    ["alcove event record run.completed \\\n  '{\n}'", [['event', 'record', 'run.completed', '{\n}']]],
    ['ID=$(alcove context create Handbook --json | jq .id)', [['context', 'create', 'Handbook', '--json']]],
    ['cat > notes.txt <<EOF\nalcove sings\nEOF\nalcove doctor', [['doctor']]],
    ['npm install alcove', []],
  ])('finds the arguments in %j', (script, expected) => {
    expect(alcoveCommands(script)).toEqual(expected)
  })

  it.each([
    [['context', 'create', 'Handbook', '--chunk-size', '400'], true],
    [['key', 'create', '--company', '$COMPANY'], true],
    [['key', 'create', '--company', 'one'], false],
    [['help', 'context', 'create'], true],
    [['search', 'a prompt'], false],
    [['context', 'make', 'Handbook'], false],
    [['init', '--colour'], false],
  ])('judges %j', async (args, isRight) => {
    expect((await parseCommand(args)) === undefined).toBe(isRight)
  })
})

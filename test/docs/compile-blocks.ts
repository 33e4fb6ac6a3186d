import { join } from 'node:path'
import ts from 'typescript'
import { type CodeBlock, ROOT } from './markdown-pages.js'

const LANGUAGE = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, allowJs: true } as const

const OPTIONS: ts.CompilerOptions = {
  ...LANGUAGE,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ['node'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  checkJs: true,
}

/** A JavaScript program cannot declare the types of its parameters. */
const OPTIONS_OF_JS: ts.CompilerOptions = { ...OPTIONS, strict: false }

/** The compiler sees a list of modes in JavaScript as a list of strings. */
const LOST_LITERAL = /'string' is not assignable to (type|parameter of type) '(undefined \| )?"/

/** Files that several programs share are read once. */
const libraries = new Map<string, ts.SourceFile | undefined>()

/**
 * Compiles blocks as modules of the package itself, where `alcove` is the built package.
 * @returns one line for each error
 */
export function compileBlocks(blocks: readonly CodeBlock[]): string[] {
  const inTypeScript = blocks.filter(({ language }) => language === 'ts')
  const inJavaScript = blocks.filter(({ language }) => language === 'js')
  const ofJavaScript = compile(inJavaScript, OPTIONS_OF_JS, 'mjs').filter((problem) => !LOST_LITERAL.test(problem))
  return [...compile(inTypeScript, OPTIONS, 'mts'), ...ofJavaScript]
}

function compile(blocks: readonly CodeBlock[], options: ts.CompilerOptions, extension: string): string[] {
  // These files do not exist on the disk.
  const files = new Map(
    blocks.map((block, index) => [join(ROOT, `blocks-of-pages/${index}.${extension}`).replaceAll('\\', '/'), block]),
  )
  const disk = ts.createCompilerHost(options, true)
  const host: ts.CompilerHost = {
    ...disk,
    getCurrentDirectory: () => ROOT,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name)?.code ?? disk.readFile(name),
    getSourceFile: (name, ...others) => {
      const block = files.get(name)
      if (block !== undefined) return ts.createSourceFile(name, block.code, others[0], true)
      if (!libraries.has(name)) libraries.set(name, disk.getSourceFile(name, ...others))
      return libraries.get(name)
    },
  }
  const program = ts.createProgram([...files.keys()], options, host)
  return [...files].flatMap(([name, block]) => {
    const file = program.getSourceFile(name)
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
    return found.map((diagnostic) => sentenceOf(diagnostic, block))
  })
}

/** Returns the syntax errors of a block that is a part of a program. */
export function parseFragment(block: CodeBlock): string[] {
  const fileName = block.language === 'js' ? 'fragment.mjs' : 'fragment.mts'
  const { diagnostics = [] } = ts.transpileModule(block.code, {
    fileName,
    reportDiagnostics: true,
    compilerOptions: LANGUAGE,
  })
  return diagnostics.map((diagnostic) => sentenceOf(diagnostic, block))
}

function sentenceOf({ file, start = 0, messageText }: ts.Diagnostic, { page, line }: CodeBlock): string {
  const within = file?.getLineAndCharacterOfPosition(start).line ?? 0
  return `${page}:${line + within} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
}

/** A report of the public types, so that a change of them is a change of a file. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DIST = join(ROOT, 'dist')
const HEAD = '// The public types of the package, without comments. "npm run generate:reference" writes this file.'

const printer = ts.createPrinter({ removeComments: true })

/** The names that each entry of the package exports, and every declaration of `dist`, in alphabetical order. */
export function publicTypes(): string {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { readonly types?: string } | string>
  }
  const entries = Object.entries(exports).flatMap(([name, entry]) => {
    if (typeof entry === 'string' || entry.types === undefined) return []
    return [`// ${name.replace('.', 'alcove')}: ${exportedNames(join(ROOT, entry.types)).join(', ')}`]
  })
  return `${[HEAD, ...entries, ...declarations()].join('\n\n')}\n`
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(relative(DIST, path), readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
}

/** The names of `export { … }`, with which the bundle ends. */
function exportedNames(path: string): string[] {
  return parse(path)
    .statements.filter(ts.isExportDeclaration)
    .flatMap(({ exportClause }) => {
      return exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : []
    })
    .map(({ name }) => name.text)
    .sort()
}

function declarations(): string[] {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'))
  const texts = files.flatMap((name) => {
    const file = parse(join(DIST, name))
    return file.statements
      .filter((statement) => !ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement))
      .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, file))
  })
  return texts.map((text) => text.replace(/^export /, '')).sort((one, other) => compare(sortKey(one), sortKey(other)))
}

/** The name of a declaration, then its text: parts of the inside may have the same name. */
function sortKey(text: string): string {
  const name = /^(?:declare )?(?:abstract )?(?:const|class|interface|type|function|let|enum) ([\w$]+)/.exec(text)?.[1]
  return `${name ?? ''}\n${text}`
}

/** The same order on every machine, in every language. */
function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

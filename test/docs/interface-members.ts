import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './markdown-pages.js'

/** The types of every entry of the package that a host imports; adapters have the interfaces of their ports. */
const ENTRIES = [
  'src/index.d.ts',
  'src/ports/index.d.ts',
  'src/webhooks/index.d.ts',
  'adapters/local/index.d.ts',
  'adapters/http-server/index.d.ts',
  'adapters/http-server/node/index.d.ts',
  'adapters/memory/testing.d.ts',
].map((entry) => join(ROOT, 'dist', entry))

let program: ts.Program | undefined

function typeProgram(): ts.Program {
  program ??= programOf(ENTRIES)
  return program
}

function programOf(entries: readonly string[]): ts.Program {
  return ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts'],
    skipLibCheck: true,
    strict: true,
    types: ['node'],
  })
}

/** Entries whose options are parts of contracts: the comments of the ports have them. */
const CONTRACTS = ['./ports', './conformance']

/** The names of the options that hosts can give to functions and classes of the package, such as `SyncOptions.delete`. */
export function optionsOfPackage(): string[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>
  }
  const entries = Object.entries(exports).flatMap(([name, { types }]) =>
    types === undefined || CONTRACTS.includes(name) ? [] : [join(ROOT, types)],
  )
  const all = programOf(entries)
  const checker = all.getTypeChecker()
  const names = entries.flatMap((entry) => {
    const file = all.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    const options = module === undefined ? [] : checker.getExportsOfModule(module)
    return options
      .filter(({ name }) => name.endsWith('Options'))
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
      .flatMap((symbol) => {
        const members = checker.getDeclaredTypeOfSymbol(symbol).getProperties()
        return members.map((member) => `${symbol.name}.${member.name}`)
      })
  })
  return [...new Set(names)]
}

/** The exports of the entries, by name. */
function exportedSymbols(): Map<string, ts.Symbol> {
  const checker = typeProgram().getTypeChecker()
  const exports = ENTRIES.flatMap((entry) => {
    const file = typeProgram().getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    return module === undefined ? [] : checker.getExportsOfModule(module)
  })
  const declared = exports.map((symbol): [string, ts.Symbol] => [
    symbol.name,
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  ])
  // The first entry that exports a name is the one that a host asks.
  return new Map(declared.reverse())
}

/** A function or a method that may reject, with its comment. */
interface AsyncMember {
  readonly name: string
  readonly comment: string
  /** The texts of its `@throws`. */
  readonly throws: readonly string[]
}

/** Every function and method that a host can call and that gives a promise or an async iterable. */
export function asyncMembers(): AsyncMember[] {
  return [...exportedSymbols()].flatMap(([owner, { declarations = [] }]) => {
    const members = declarations.flatMap((each): (ts.MethodSignature | ts.FunctionDeclaration)[] => {
      if (ts.isInterfaceDeclaration(each)) return each.members.filter(ts.isMethodSignature)
      return ts.isFunctionDeclaration(each) ? [each] : []
    })
    const waiting = members.filter((member) => {
      const { type } = member
      return type !== undefined && /^(Promise|Async)/.test(textOf(type))
    })
    return waiting.map((member) => {
      const tags: readonly ts.JSDocTag[] = ts.getJSDocTags(member).filter(({ tagName }) => tagName.text === 'throws')
      return {
        name: ts.isMethodSignature(member) ? `${owner}.${textOf(member.name)}` : owner,
        comment: commentsOf(member),
        throws: tags.map((tag: ts.Node) => tag.getText().replace(/\s*\n\s*\*\s*/g, ' ')),
      }
    })
  })
}

function textOf(node: ts.Node): string {
  return node.getText()
}

function commentsOf(member: ts.Node): string {
  const text = member.getFullText()
  return text.slice(0, text.length - member.getText().length)
}

/** The names of everything that the entries export. */
export function exportedNames(): Set<string> {
  return new Set(exportedSymbols().keys())
}

/** Names of the members of an interface that an entry of the package exports; empty without such an interface. */
export function membersOf(name: string): string[] {
  const symbol = exportedSymbols().get(name)
  if (symbol === undefined) return []
  return typeProgram()
    .getTypeChecker()
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .map((member) => member.name)
}

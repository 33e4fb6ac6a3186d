import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './markdown-pages.js'

const ENTRIES = ['src/index.d.ts', 'adapters/local/index.d.ts', 'adapters/http-server/index.d.ts'].map((entry) =>
  join(ROOT, 'dist', entry),
)

let program: ts.Program | undefined

/** Names of the members of an interface that an entry of the package exports; empty without such an interface. */
export function membersOf(name: string): string[] {
  program ??= ts.createProgram(ENTRIES, {
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts'],
    skipLibCheck: true,
    strict: true,
    types: ['node'],
  })
  const checker = program.getTypeChecker()
  for (const entry of ENTRIES) {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name)
    if (symbol === undefined) continue
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return checker
      .getDeclaredTypeOfSymbol(declared)
      .getProperties()
      .map((member) => member.name)
  }
  return []
}

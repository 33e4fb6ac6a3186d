/** The error classes of the package, read from its sources. */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export interface ErrorClass {
  readonly name: string
  /** True if callers can import it from `alcove` or `alcove/ports`. */
  readonly isExported: boolean
  /** Its docstring. */
  readonly description: string
  readonly codes: readonly string[]
  /** Says if the same call may succeed later: always, never, or as `isTransient` of each error says. */
  readonly isTransient: boolean | 'sometimes'
}

const ENTRIES = ['index.ts', 'ports/index.ts'].map((name) =>
  fileURLToPath(new URL(`../../src/${name}`, import.meta.url)),
)
const BASE = 'AlcoveError'

/** Every class of errors with codes of its own, in the order of its declaration. */
export function errorClasses(): ErrorClass[] {
  const program = ts.createProgram(ENTRIES, {
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts'],
    skipLibCheck: true,
    strict: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const exported = new Set(ENTRIES.flatMap((entry) => exportsOf(entry, program, checker)))
  const classes = program
    .getSourceFiles()
    .filter(({ fileName }) => !fileName.includes('/node_modules/'))
    .flatMap((file) => file.statements.filter(ts.isClassDeclaration))
    .flatMap((declaration) => describe(declaration, checker))
    .map((one) => ({ ...one, isExported: exported.has(one.name) }))
  const all = Math.max(...classes.map(({ codes }) => codes.length))
  // One that can have any code has none of its own.
  return classes.filter(({ codes }) => codes.length < all)
}

function exportsOf(entry: string, program: ts.Program, checker: ts.TypeChecker): string[] {
  const file = program.getSourceFile(entry)
  const symbol = file && checker.getSymbolAtLocation(file)
  return symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(({ name }) => name)
}

function describe(declaration: ts.ClassDeclaration, checker: ts.TypeChecker): Omit<ErrorClass, 'isExported'>[] {
  if (declaration.name === undefined || !basesOf(declaration, checker).includes(BASE)) return []
  const symbol = checker.getSymbolAtLocation(declaration.name)
  const type = checker.getTypeAtLocation(declaration)
  const code = type.getProperty('code')
  if (symbol === undefined || code === undefined) return []
  const codeType = checker.getTypeOfSymbolAtLocation(code, declaration)
  const literals = codeType.isUnion() ? codeType.types : [codeType]
  return [
    {
      name: symbol.name,
      description: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      codes: literals.flatMap((literal) => (literal.isStringLiteral() ? [literal.value] : [])),
      isTransient: transienceOf(declaration),
    },
  ]
}

/** Names of the classes above one. */
function basesOf(declaration: ts.ClassDeclaration, checker: ts.TypeChecker): string[] {
  const [base] = checker.getTypeAtLocation(declaration).getBaseTypes() ?? []
  const above = base?.symbol.declarations?.find(ts.isClassDeclaration)
  return base === undefined ? [] : [base.symbol.name, ...(above === undefined ? [] : basesOf(above, checker))]
}

/** A class that does not say has errors that stay. */
function transienceOf(declaration: ts.ClassDeclaration): ErrorClass['isTransient'] {
  const member = declaration.members.find((each) => each.name?.getText() === 'isTransient')
  if (member === undefined) return false
  return /[=:]\s*true\b/.test(member.getText()) ? true : 'sometimes'
}

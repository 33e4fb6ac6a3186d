/** The codes of errors in the sources, and the HTTP statuses that stand beside them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** A whole code: `ERR_TLS_` is the beginning of some, in a pattern. */
const CODE = /\bERR_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)/g

function sourcesOf(folder: string): string[] {
  return textsOf(folder).filter((text) => text.includes('ERR_'))
}

function textsOf(folder: string, isRead: (name: string) => boolean = () => true): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && isRead(name))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))
}

/** The texts between single quotes of the server: of `src` and `adapters` without the table of reasons and the console. */
export function literalsInSources(): ReadonlySet<string> {
  const isRead = (name: string): boolean => !name.endsWith('error-reasons.ts') && !name.startsWith('console')
  const texts = [...textsOf('src', isRead), ...textsOf('adapters', isRead)]
  return new Set(texts.flatMap((text) => [...text.matchAll(/'([a-z-]+)'/g)].map(([, literal = '']) => literal)))
}

/** Every code that is named in `src` and `adapters`. */
export function codesInSources(): ReadonlySet<string> {
  const texts = [...sourcesOf('src'), ...sourcesOf('adapters')]
  return new Set(texts.flatMap((text) => text.match(CODE) ?? []))
}

/** The statuses with which the HTTP server answers: in tables, in errors of its own, and in answers it describes. */
export function statusesInSources(): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>()
  for (const text of [...sourcesOf('adapters/http-server'), ...sourcesOf('adapters/node-kit/http')]) {
    const visit = (node: ts.Node): void => {
      for (const [code, status] of statusesAt(node)) found.set(code, (found.get(code) ?? new Set()).add(status))
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest))
  }
  return found
}

type CodeAndStatus = readonly [code: string, status: number]

function statusesAt(node: ts.Node): CodeAndStatus[] {
  if (ts.isObjectLiteralExpression(node)) return statusesOfObject(node)
  if (!ts.isNewExpression(node)) return []
  const [status, code] = node.arguments ?? []
  return pair(code, status)
}

/** `{ ERR_FORBIDDEN: 403 }`, and `{ status: 503, code: 'ERR_BUSY' }`. */
function statusesOfObject({ properties }: ts.ObjectLiteralExpression): CodeAndStatus[] {
  const values = new Map<string, ts.Expression>()
  for (const property of properties) {
    if (ts.isPropertyAssignment(property) && ts.isIdentifier(property.name)) {
      values.set(property.name.text, property.initializer)
    }
  }
  const table = [...values].flatMap(([name, value]) =>
    name.startsWith('ERR_') && ts.isNumericLiteral(value) ? [[name, Number(value.text)] as const] : [],
  )
  return [...table, ...pair(values.get('code'), values.get('status'))]
}

function pair(code: ts.Expression | undefined, status: ts.Expression | undefined): CodeAndStatus[] {
  if (code === undefined || status === undefined) return []
  if (!ts.isStringLiteral(code) || !ts.isNumericLiteral(status) || !code.text.startsWith('ERR_')) return []
  return [[code.text, Number(status.text)]]
}

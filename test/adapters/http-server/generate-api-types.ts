import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { describeApi } from '../../../adapters/http-server/index.js'

/** Types of the API for TypeScript clients, as openapi-typescript generates them from the description. */
export async function generateApiTypes(): Promise<string> {
  const description: unknown = JSON.parse(
    JSON.stringify(describeApi({ cookieLogins: true })),
    (_name, value: unknown) => noteKnown(value),
  )
  return astToString(await openapiTypescript(JSON.stringify(description), { transform: toOpenUnion }))
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  /** The texts that editors complete. */
  readonly 'x-known'?: readonly string[]
}

/** A union of known texts with any text, as one schema: openapi-typescript transforms only schemas with a `type`. */
function noteKnown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('anyOf' in value)) return value
  const { anyOf = [], ...rest } = value as Schema
  const known = anyOf.find((branch) => branch.enum !== undefined)?.enum
  const isOpen = known !== undefined && anyOf.some((branch) => JSON.stringify(branch) === '{"type":"string"}')
  return isOpen ? { ...rest, type: 'string', 'x-known': known } : value
}

/** TypeScript simplifies `'a' | string` to `string`, and editors then complete nothing. */
function toOpenUnion(schema: object): ts.TypeNode | undefined {
  const { 'x-known': known } = schema as Schema
  if (known === undefined) return undefined
  const { factory } = ts
  const never = factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword)
  const anyText = factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    factory.createTypeReferenceNode('Record', [never, never]),
  ])
  const literals = known.map((text) => factory.createLiteralTypeNode(factory.createStringLiteral(text)))
  return factory.createUnionTypeNode([...literals, anyText])
}
